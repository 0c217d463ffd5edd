"""The dashboard: pages where people see their project, answer agents and step in.

Pages are written here, on the server, and work without scripts; what runs in the browser only
refreshes them and listens to keys. Reading a page changes nothing: every change is a form that is
sent, by a session that `waypost open` began, with the session's own secret in it.
"""
