use openidconnect::core::{CoreAuthenticationFlow, CoreClient, CoreProviderMetadata, CoreUserInfoClaims};
use openidconnect::{
    reqwest, AccessToken, AuthorizationCode, ClientId, ClientSecret, CsrfToken, IssuerUrl, Nonce, OAuth2TokenResponse,
    PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RefreshToken, Scope, TokenResponse,
};
use std::env::var;
use std::error::Error;
use tiny_http::{Header, Response, Server};

#[derive(Default)]
struct Kept {
    begun: Option<(CsrfToken, Nonce, PkceCodeVerifier)>,
    sub: String,
    access: String,
    refresh: String,
    id_token: String,
}

enum Answer {
    To(String),
    Json(serde_json::Value),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let own = var("URL")?;
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
    let issuer = var("ISSUER")?;
    // PASTE: at its start
    let mut kept = Kept::default();
    let server = Server::http(own.trim_start_matches("http://")).map_err(|error| error.to_string())?;
    for request in server.incoming_requests() {
        let (path, query) = request.url().split_once('?').unwrap_or((request.url(), ""));
        let code = query.split('&').find_map(|one| one.strip_prefix("code=")).unwrap_or("").to_string();
        let state = query.split('&').find_map(|one| one.strip_prefix("state=")).unwrap_or("").to_string();
        let work = async {
            Ok::<Answer, Box<dyn Error>>(match path {
                "/login" => {
                    // PASTE: where somebody signs in
                    kept.begun = Some((state, nonce, verifier));
                    Answer::To(to.to_string())
                }
                "/callback" => {
                    let (expected, nonce, verifier) = kept.begun.take().ok_or("nothing begun")?;
                    if *expected.secret() != state {
                        return Err("another state".into());
                    }
                    let code = AuthorizationCode::new(code);
                    // PASTE: at its callback
                    kept.sub = claims.subject().to_string();
                    let id_token = tokens.id_token().ok_or("no ID token")?;
                    kept.id_token = id_token.to_string();
                    kept.access = tokens.access_token().secret().clone();
                    kept.refresh = tokens.refresh_token().ok_or("no refresh token")?.secret().clone();
                    Answer::To("/who".into())
                }
                "/who" => Answer::Json(serde_json::json!({ "sub": kept.sub })),
                "/refresh" => {
                    let refresh = RefreshToken::new(kept.refresh.clone());
                    let tokens = client.exchange_refresh_token(&refresh)?;
                    let tokens = tokens.request_async(&http).await?;
                    let after = tokens.access_token().secret().clone();
                    let refreshed = after != kept.access;
                    kept.access = after;
                    Answer::Json(serde_json::json!({ "refreshed": refreshed }))
                }
                "/call" => {
                    let asked = client.user_info(AccessToken::new(kept.access.clone()), None)?;
                    let claims: CoreUserInfoClaims = asked.request_async(&http).await?;
                    Answer::Json(serde_json::to_value(claims)?)
                }
                "/logout" => {
                    kept.sub.clear();
                    Answer::To(format!("{issuer}/oauth2/logout?id_token_hint={}", kept.id_token))
                }
                _ => Answer::Json(serde_json::json!({})),
            })
        };
        let (status, name, value, body) = match work.await {
            Ok(Answer::To(to)) => (302, "location", to, String::new()),
            Ok(Answer::Json(json)) => (200, "content-type", "application/json".into(), json.to_string()),
            Err(error) => (500, "content-type", "text/plain".into(), format!("{error} {error:?}")),
        };
        let header = Header::from_bytes(name, value).map_err(|_| "header")?;
        request.respond(Response::from_string(body).with_status_code(status).with_header(header))?;
    }
    Ok(())
}
