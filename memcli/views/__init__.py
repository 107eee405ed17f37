"""Showing what is remembered: pages, pictures, screens. Data first, then drawn.

Pages and pictures read only; what is changed on a screen goes through the rooms of the commands.
"""
