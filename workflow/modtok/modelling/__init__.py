"""Language models over modular vocabularies: their training, their files, what is taken out of them."""
