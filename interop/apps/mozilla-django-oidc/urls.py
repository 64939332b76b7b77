import os

import requests
from django.http import HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.urls import path


def who(request):
    return JsonResponse({'email': getattr(request.user, 'email', '')})


def call(request):
    authorization = f'Bearer {request.session["oidc_access_token"]}'
    userinfo = f'{os.environ["ISSUER"]}/oauth2/userinfo'
    return JsonResponse(requests.get(userinfo, headers={'Authorization': authorization}).json())


def out(request):
    """The button by which somebody signs out."""
    hidden = f'<input type=hidden name=csrfmiddlewaretoken value={get_token(request)}>'
    return HttpResponse(f'<form method=post action=/oidc/logout/>{hidden}<button>Sign out</button></form>')


urlpatterns = [
    path('', lambda request: JsonResponse({})),
    path('who', who),
    path('call', call),
    path('out', out),
]
# PASTE
