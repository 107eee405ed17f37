"""`python -m memcli`: the same program as `mem`."""

from memcli.app import main

if __name__ == "__main__":
    main()
