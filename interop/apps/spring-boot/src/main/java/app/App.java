package app;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.endpoint.OAuth2RefreshTokenGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientRefreshTokenTokenResponseClient;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

@SpringBootApplication
@RestController
public class App {
  public static void main(String[] args) {
    SpringApplication.run(App.class, args);
  }

  // PASTE

  @GetMapping("/")
  Map<String, String> home() {
    return Map.of();
  }

  @GetMapping("/who")
  Map<String, String> who(@AuthenticationPrincipal OidcUser user) {
    return Map.of("sub", user == null ? "" : user.getSubject());
  }

  @GetMapping("/refresh")
  Map<String, Boolean> refresh(@RegisteredOAuth2AuthorizedClient("tessera") OAuth2AuthorizedClient client) {
    var asked = new OAuth2RefreshTokenGrantRequest(
        client.getClientRegistration(), client.getAccessToken(), client.getRefreshToken());
    var answer = new RestClientRefreshTokenTokenResponseClient().getTokenResponse(asked);
    var after = answer.getAccessToken().getTokenValue();
    return Map.of("refreshed", !after.equals(client.getAccessToken().getTokenValue()));
  }

  @GetMapping("/call")
  String call(@RegisteredOAuth2AuthorizedClient("tessera") OAuth2AuthorizedClient client) {
    return RestClient.create().get()
        .uri(client.getClientRegistration().getProviderDetails().getUserInfoEndpoint().getUri())
        .header("authorization", "Bearer " + client.getAccessToken().getTokenValue())
        .retrieve().body(String.class);
  }
}
