"""HTTP: routes, bodies, errors, the OpenAPI description."""
