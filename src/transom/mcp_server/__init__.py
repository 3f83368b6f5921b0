"""The toolbox, spoken as the Model Context Protocol: the one part that loads the protocol's SDK.

Decides nothing about tools: it lists what the toolbox lists, calls what it is asked to call, and hands over what comes back in
the protocol's shapes. Knows the handshake revisions of the protocol, where a client has a session and can be asked things, and
the stateless one, where every request stands alone and a question is answered by sending the request again.

Loading it takes half a second, so everybody else imports it where it is used: ``server.build`` makes a server of a toolbox,
``stdio.serve_stdio`` and ``http.serve_http`` serve it.
"""
