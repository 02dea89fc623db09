"""``python -m innermost``."""

from innermost.cli import main

if __name__ == "__main__":
    main()
