"""What was erased for good on one machine and is to be gone on all: by keyed hashes, told and carried out."""
