"""HTTP: ``innermost serve``.

One process speaks HTTP (Starlette, uvicorn) and never runs a model; worker processes run the
models and never see a socket. A request becomes jobs, one per text; the queue hands jobs of all
clients to the next free worker as one batch; the worker returns finished JSON.

``service`` admits requests and ``processes`` runs them, without HTTP. ``web`` reads bodies and
writes responses, also for ``label_studio``. ``application`` has the routes, ``server`` the port.
"""
