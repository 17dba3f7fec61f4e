"""The web server for people and programs: pages, JSON, sync protocols. Thin: flow decides."""

from feedloom.serve.application import build_application as build_application
from feedloom.serve.middleware.server import server_options as server_options
from feedloom.serve.services import Services as Services
