import os
import sys

import django
from django.conf import settings

issuer, own = os.environ['ISSUER'], os.environ['URL']
settings.configure(
    SECRET_KEY='of the interop run',
    ALLOWED_HOSTS=['127.0.0.1'],
    ROOT_URLCONF=__name__,
    DATABASES={'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': 'db.sqlite3'}},
    INSTALLED_APPS=[
        'django.contrib.auth',
        'django.contrib.contenttypes',
        'django.contrib.sessions',
        'mozilla_django_oidc',
    ],
    MIDDLEWARE=[
        'django.contrib.sessions.middleware.SessionMiddleware',
        'django.contrib.auth.middleware.AuthenticationMiddleware',
    ],
    AUTHENTICATION_BACKENDS=['mozilla_django_oidc.auth.OIDCAuthenticationBackend'],
    OIDC_RP_CLIENT_ID=os.environ['CLIENT_ID'],
    OIDC_RP_CLIENT_SECRET=os.environ['CLIENT_SECRET'],
    OIDC_RP_SCOPES=os.environ['SCOPE'],
    OIDC_RP_SIGN_ALGO='RS256',
    OIDC_OP_AUTHORIZATION_ENDPOINT=f'{issuer}/oauth2/authorize',
    OIDC_OP_TOKEN_ENDPOINT=f'{issuer}/oauth2/token',
    OIDC_OP_USER_ENDPOINT=f'{issuer}/oauth2/userinfo',
    OIDC_OP_JWKS_ENDPOINT=f'{issuer}/oauth2/jwks',
    OIDC_USE_PKCE=True,
    OIDC_STORE_ACCESS_TOKEN=True,
    OIDC_STORE_ID_TOKEN=True,
    OIDC_OP_LOGOUT_URL_METHOD=f'{__name__}.signed_out',
    ALLOW_LOGOUT_GET_METHOD=True,
    LOGIN_REDIRECT_URL='/who',
    LOGOUT_REDIRECT_URL='/',
)
django.setup()

import requests  # noqa: E402
from django.http import JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402


def signed_out(request):
    hint = request.session['oidc_id_token']
    return f'{issuer}/oauth2/logout?id_token_hint={hint}&post_logout_redirect_uri={own}/'


def who(request):
    return JsonResponse({'email': getattr(request.user, 'email', '')})


def call(request):
    authorization = f'Bearer {request.session["oidc_access_token"]}'
    return JsonResponse(requests.get(f'{issuer}/oauth2/userinfo', headers={'Authorization': authorization}).json())


urlpatterns = [
    path('', lambda request: JsonResponse({})),
    path('who', who),
    path('call', call),
    path('oidc/', include('mozilla_django_oidc.urls')),
]

if __name__ == '__main__':
    from django.core.management import execute_from_command_line

    sys.modules['mozilla_django_oidc_app'] = sys.modules[__name__]
    execute_from_command_line(['app', 'migrate', '--verbosity', '0'])
    execute_from_command_line(['app', 'runserver', '--noreload', os.environ['PORT']])
