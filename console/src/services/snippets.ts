/** What a service checks of each token, in the languages that most are written in; docs/integrate-api.md has the rules. */
interface Protected {
  issuer: string
  audience: string
  permission: string
  typ: string
  alg: string
}

export interface Snippet {
  language: string
  library: string
  /** Runs against this service: always by our tests, or once by hand, of a version. Others are written by documents. */
  run?: 'tests' | `${string} ${number}.${number}`
  code: (of: Protected) => string
}

/** A text as each of these languages writes it; the values are addresses and codes. */
const text = (value: string) => JSON.stringify(value)

/** While a service changes to ES256, tokens of before are RS256, and one for several services may stay it. */
const algs = ({ alg }: Protected) => (alg === 'ES256' ? ['RS256', 'ES256'] : ['RS256'])
const listed = (of: Protected) => algs(of).map(text).join(', ')

const node: Snippet = {
  language: 'Node',
  library: '@tessera/guard',
  run: 'tests',
  code: ({ issuer, audience, permission, typ }) => `import { createGuard } from '@tessera/guard'

const guard = createGuard({
  issuer: ${text(issuer)},
  audience: ${text(audience)},${typ === 'JWT' ? '\n  acceptTypJwt: true,' : ''}
})

const decision = await guard.check(request, ${text(permission)})
if (!decision.allowed) {
  // decision.status, decision.headers and decision.body are the whole answer
}`,
}

const python: Snippet = {
  language: 'Python',
  library: 'pyjwt[crypto]',
  run: 'PyJWT 2.15',
  code: (of) => `import json
from urllib.request import urlopen

import jwt

ISSUER = ${text(of.issuer)}
AUDIENCE = ${text(of.audience)}
with urlopen(f"{ISSUER}/.well-known/openid-configuration") as answer:
    KEYS = jwt.PyJWKClient(json.load(answer)["jwks_uri"], lifespan=600)


def check(authorization: str, permission: str) -> dict:
    """The claims. At jwt.PyJWTError answer 401, at PermissionError 403."""
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer":
        raise jwt.InvalidTokenError("no Bearer token")
    if jwt.get_unverified_header(token).get("typ") != ${text(of.typ)}:
        raise jwt.InvalidTokenError("no access token")
    claims = jwt.decode(
        token,
        KEYS.get_signing_key_from_jwt(token).key,
        algorithms=[${listed(of)}],
        issuer=ISSUER,
        audience=AUDIENCE,
        options={"require": ["iss", "aud", "exp", "client_id"]},
    )
    if permission not in claims.get("permissions", []):
        raise PermissionError(permission)
    return claims


claims = check(request.headers.get("authorization", ""), ${text(of.permission)})`,
}

const java: Snippet = {
  language: 'Java',
  library: 'spring-boot-starter-oauth2-resource-server',
  code: ({ issuer, audience, permission, typ }) => `@Bean
JwtDecoder jwtDecoder() {
  String issuer = ${text(issuer)};
  NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
  decoder.setJwtValidator(JwtValidators.createDefaultWithValidators(
      new JwtTypeValidator(${text(typ)}),
      new JwtIssuerValidator(issuer),
      new JwtAudienceValidator(${text(audience)}),
      new JwtTimestampValidator(Duration.ZERO)));
  return decoder;
}

@Bean
JwtAuthenticationConverter jwtAuthenticationConverter() {
  JwtGrantedAuthoritiesConverter permissions = new JwtGrantedAuthoritiesConverter();
  permissions.setAuthoritiesClaimName("permissions");
  permissions.setAuthorityPrefix("");
  JwtAuthenticationConverter converter = new JwtAuthenticationConverter();
  converter.setJwtGrantedAuthoritiesConverter(permissions);
  return converter;
}

@Bean
SecurityFilterChain api(HttpSecurity http) throws Exception {
  return http
      .authorizeHttpRequests(requests -> requests
          .requestMatchers(HttpMethod.GET, "/things").hasAuthority(${text(permission)})
          .anyRequest().denyAll())
      .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
      .build();
}`,
}

const csharp: Snippet = {
  language: 'C#',
  library: 'Microsoft.AspNetCore.Authentication.JwtBearer',
  code: (
    of,
  ) => `builder.Services.AddAuthentication(JwtBearerDefaults.AuthenticationScheme).AddJwtBearer(options =>
{
    options.Authority = ${text(of.issuer)};${of.issuer.startsWith('http:') ? '\n    options.RequireHttpsMetadata = false;' : ''}
    options.MapInboundClaims = false;
    options.TokenValidationParameters = new TokenValidationParameters
    {
        ValidIssuer = ${text(of.issuer)},
        ValidAudience = ${text(of.audience)},
        ValidTypes = new[] { ${text(of.typ)} },
        ValidAlgorithms = new[] { ${listed(of)} },
        ClockSkew = TimeSpan.Zero,
    };
});
builder.Services.AddAuthorization(options => options.AddPolicy(${text(of.permission)}, policy =>
    policy.RequireClaim("permissions", ${text(of.permission)})));

var app = builder.Build();
app.UseAuthentication();
app.UseAuthorization();
app.MapGet("/things", () => "…").RequireAuthorization(${text(of.permission)});`,
}

const go: Snippet = {
  language: 'Go',
  library: 'github.com/coreos/go-oidc/v3',
  run: 'go-oidc 3.21',
  code: (of) => `// Once, at the start.
provider, err := oidc.NewProvider(context.Background(), ${text(of.issuer)})
if err != nil {
	log.Fatal(err)
}
verifier := provider.Verifier(&oidc.Config{
	ClientID:             ${text(of.audience)},
	SupportedSigningAlgs: []string{${listed(of)}},
})

// Check answers 200, or the status of the refusal.
func Check(verifier *oidc.IDTokenVerifier, request *http.Request, permission string) int {
	values := request.Header.Values("Authorization")
	if len(values) != 1 || !strings.HasPrefix(values[0], "Bearer ") {
		return http.StatusUnauthorized
	}
	raw := strings.TrimPrefix(values[0], "Bearer ")
	token, err := verifier.Verify(request.Context(), raw)
	if err != nil {
		return http.StatusUnauthorized
	}
	// The library does not look at the type: an ID token would pass.
	var header struct{ Typ string }
	first, _, _ := strings.Cut(raw, ".")
	decoded, _ := base64.RawURLEncoding.DecodeString(first)
	if json.Unmarshal(decoded, &header) != nil || header.Typ != ${text(of.typ)} {
		return http.StatusUnauthorized
	}
	var claims struct{ Permissions []string }
	if token.Claims(&claims) != nil || !slices.Contains(claims.Permissions, permission) {
		return http.StatusForbidden
	}
	return http.StatusOK
}

status := Check(verifier, request, ${text(of.permission)})`,
}

export const snippets: readonly Snippet[] = [node, python, java, csharp, go]
