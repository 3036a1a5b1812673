"""Doorways that only the workflow needs: one thin module per rule, with the rule's name. No algorithm lives here."""
