"""Wiring: which home, project and agent, with which settings, and what runs in one process.

This room joins the office with its doors; it decides nothing about letters.
"""
