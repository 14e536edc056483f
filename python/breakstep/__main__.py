"""`python -m breakstep` is `breakstep`."""

from breakstep.cli.app import main

if __name__ == "__main__":
    main()
