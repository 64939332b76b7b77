from django.contrib.auth import logout
from django.http import HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.urls import path


def sign_in(request):
    """The button by which somebody signs in."""
    hidden = f'<input type=hidden name=csrfmiddlewaretoken value={get_token(request)}>'
    return HttpResponse(f'<form method=post action=/login/oidc/>{hidden}<button>Sign in</button></form>')


urlpatterns = [
    path('', lambda request: JsonResponse({})),
    path('sign-in', sign_in),
    path('who', lambda request: JsonResponse({'email': getattr(request.user, 'email', '')})),
]
# PASTE
