"""Doorways that only the workflow needs: one thin module per rule, of its name, without any algorithm."""
