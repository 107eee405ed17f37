"""Views of the memories: pages, pictures, a full screen. Each first collects data, and then draws it.

Pages and pictures only read; changes made on a screen go through the same functions as the commands.
"""
