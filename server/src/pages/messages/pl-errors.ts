import type { Child } from 'hono/jsx'
import type { details as englishDetails, errors as english } from './en-errors.ts'
import { phrase } from './phrase.ts'

const objectNotSupported = {
  heading: 'Ten rodzaj żądania nie jest obsługiwany',
  text: 'Aplikacja zapakowała swoje żądanie w sposób, którego ta usługa nie odczytuje.',
  next: 'Powiadom osoby prowadzące aplikację. Powinna ona wysyłać same parametry, bez request i request_uri.',
}

export const errors: typeof english = {
  invalid_client: {
    heading: 'Ta aplikacja nie jest tu znana',
    text: 'Aplikacja, z której przychodzisz, nie jest zarejestrowana albo została wyłączona.',
    next: 'Powiadom osoby prowadzące aplikację. Powinny sprawdzić client_id i to, czy klient jest aktywny.',
  },
  invalid_redirect_uri: {
    heading: 'Adres powrotny nie jest zarejestrowany',
    text: 'Aplikacja chciała wysłać Cię pod adres, który nie jest dla niej zarejestrowany. Dla Twojego bezpieczeństwa nie idziemy dalej.',
    next: 'Powiadom osoby prowadzące aplikację. Adres musi się zgadzać z zarejestrowanym co do znaku.',
  },
  invalid_request: {
    heading: 'Żądanie jest nieprawidłowe',
    text: 'W tym żądaniu czegoś brakuje albo coś jest błędne.',
    next: 'Wróć do aplikacji i zacznij od nowa. Jeśli to się powtórzy, powiadom osoby prowadzące aplikację.',
  },
  request_not_supported: objectNotSupported,
  request_uri_not_supported: objectNotSupported,
  request_expired: {
    heading: 'To logowanie się skończyło',
    text: 'Trwało zbyt długo, zostało już zakończone albo zaczęto je w innej przeglądarce.',
    next: 'Wróć do aplikacji i zacznij od nowa.',
  },
  setup_link_ended: {
    heading: 'Tego linku nie można użyć',
    text: 'Został już użyty, ma więcej niż godzinę lub jest niepełny, albo ktoś już administruje tą instalacją.',
    next: 'Sprawdź, czy otwarto cały link. W przeciwnym razie poproś osoby prowadzące tę usługę o nowy.',
  },
  upstream_invitation_ended: {
    heading: 'Tego linku konfiguracji nie można użyć',
    text: 'Zakończył się, został otwarty w innej przeglądarce albo jest niepełny. Albo osoba, która go wysłała, nie może go już dawać.',
    next: 'Kontynuuj w przeglądarce, w której zaczęto. W przeciwnym razie poproś o nowy osobę, która go wysłała.',
  },
  invitation_ended: {
    heading: 'Tego zaproszenia nie można użyć',
    text: 'Zostało już użyte, wycofane lub zastąpione nowszym, albo link jest niepełny.',
    next: 'Sprawdź, czy otwarto cały link z najnowszej wiadomości. W przeciwnym razie poproś osobę, która Cię zaprosiła, o nowy.',
  },
  managed_by_file: {
    heading: 'Decyduje się o tym gdzie indziej',
    text: 'Plik osób prowadzących tę usługę określa, co możesz tu robić. Nic nie zostało zmienione.',
    next: 'Zwróć się do osoby, która Cię zaprosiła, albo do osób prowadzących tę usługę.',
  },
  sign_in_required: {
    heading: 'Logowanie dobiegło końca',
    text: 'Nikt nie jest zalogowany w tej aplikacji albo logowanie dobiegło końca. To, co zostało wysłane, nie dotarło.',
    next: 'Otwórz aplikację w innej karcie i zaloguj się tam. Potem wróć i wyślij to ponownie.',
  },
  permission_missing: {
    heading: 'Tego nie wolno zrobić',
    text: 'To, co wolno robić w tej aplikacji, zależy od roli.',
    next: 'Zapytaj administratorów swojej organizacji. Jeśli masz też inną rolę, wyloguj się z aplikacji i wybierz ją.',
  },
  forward_auth_refused: {
    heading: 'Nie można otworzyć tego adresu',
    text: 'Aplikacja nikomu nie pozwala otworzyć tego adresu albo nie udało się go sprawdzić.',
    next: 'Sprawdź adres. Jeśli powinien działać, powiadom osoby prowadzące aplikację.',
  },
  access_denied: {
    heading: 'Nie zalogowano',
    text: 'Logowanie zostało anulowane albo żadna z ról nie otwiera tej aplikacji.',
    next: 'Otwórz aplikację ponownie. Jeśli powinieneś mieć dostęp, zapytaj administratorów swojej organizacji.',
  },
  form_expired: {
    heading: 'Ten formularz wygasł',
    text: 'Strona była otwarta zbyt długo albo przeglądarka nie wysłała plików cookie. Nic nie zostało zmienione.',
    next: 'Wróć, odśwież stronę i spróbuj ponownie. Pliki cookie muszą być dozwolone dla tej witryny.',
  },
  not_found: {
    heading: 'Nie znaleziono strony',
    text: 'Pod tym adresem nic nie ma.',
    next: 'Sprawdź adres albo wróć do aplikacji, z której przychodzisz.',
  },
  method_not_allowed: {
    heading: 'Tego adresu nie można użyć w ten sposób',
    text: 'Adres istnieje, ale nie odpowiada na ten rodzaj żądania.',
    next: 'Wróć do aplikacji, z której przychodzisz, i zacznij od nowa.',
  },
  too_many_requests: {
    heading: 'Zbyt wiele żądań',
    text: 'W krótkim czasie było więcej żądań, niż jest dozwolone.',
    next: 'Poczekaj chwilę i spróbuj ponownie.',
  },
  temporarily_unavailable: {
    heading: 'Chwilowo niedostępne',
    text: 'Usługa jest przeciążona lub w trakcie konserwacji.',
    next: 'Spróbuj ponownie za kilka minut.',
  },
  server_error: {
    heading: 'Coś poszło nie tak po naszej stronie',
    text: 'Nie udało się zrealizować żądania. To nie Twoja wina.',
    next: 'Spróbuj ponownie. Jeśli to się powtórzy, podaj wsparciu technicznemu numer żądania poniżej.',
  },
}

export const situations = {
  no_cookies: {
    heading: 'Przeglądarka nie wysłała plików cookie',
    text: 'Bez plików cookie ta usługa nie rozpozna, że logowanie jest Twoje. Być może przeglądarka je blokuje albo tę stronę otwarto w innej przeglądarce.',
    next: 'Zezwól na pliki cookie dla tego adresu. Potem wróć do aplikacji i zacznij od nowa.',
  },
  too_many_cookies: {
    heading: 'Przeglądarka wysyła zbyt wiele plików cookie',
    text: 'Ma dla tego adresu więcej plików cookie, niż ta usługa czyta. Większość pochodzi od innych usług pod tym samym adresem.',
    next: 'Usuń pliki cookie tego adresu w ustawieniach przeglądarki i otwórz stronę jeszcze raz.',
  },
  no_redirect_uri: {
    heading: 'Brakuje adresu powrotnego',
    text: 'Aplikacja nie podała, dokąd wrócić po zalogowaniu.',
    next: 'Powiadom osoby prowadzące aplikację. Powinny wysyłać zarejestrowany adres jako redirect_uri.',
  },
  signed_in: {
    heading: 'Logowanie zakończone',
    text: (client: Child) =>
      phrase`Logowanie do ${client} jest zakończone. Na tej stronie nie ma już nic do zrobienia.`,
    next: 'Przejdź dalej w przeglądarce albo otwórz aplikację jeszcze raz.',
  },
  start_again: (client: Child) => phrase`Wróć do ${client} i zacznij od nowa.`,
}

export const details: typeof englishDetails = {
  session_form_open: 'Formularz nie należy do tej sesji. Otwórz go ponownie.',
  session_form_back: 'Formularz nie należy do tej sesji. Wróć i spróbuj ponownie.',
  browser_form_open: 'Formularz nie należy do tej przeglądarki. Otwórz go ponownie.',
  browser_form_link: 'Formularz nie należy do tej przeglądarki. Otwórz link ponownie.',
  browser_form_back: 'Formularz nie należy do tej przeglądarki. Wróć i spróbuj ponownie.',
  device_code: 'Kod wygasł albo udzielono już na niego odpowiedzi. Zacznij od nowa na urządzeniu.',
  sign_in_over:
    'To logowanie jest zakończone albo rozpoczęto je w innej przeglądarce. Wróć do aplikacji i zacznij od nowa.',
  not_pushed:
    'request_uri jest nieznany, wygasł, został już użyty albo należy do innego klienta. Wróć do aplikacji i zacznij od nowa.',
  sign_in_done: 'To logowanie jest już zakończone. Wróć do aplikacji.',
  no_cookie:
    'Przeglądarka nie wysłała pliku cookie, więc nic nie pokazuje, że to logowanie jest jej. Zezwól na pliki cookie dla tego adresu, wróć do aplikacji i zacznij od nowa.',
  no_passkeys: 'Gdzie wystawcą jest adres IP, nie ma kluczy dostępu.',
  no_mail: 'Ta usługa nie wysyła wiadomości: poproś osoby, które ją prowadzą, o link.',
  setup_link:
    'Ten link nie jest ważny lub już nie jest. Dopóki nikt nie administruje usługą, jej operator tworzy kolejny poleceniem tessera setup --link.',
  upstreamInvitation:
    'Tego linku nie można użyć, już nie albo nie w tej przeglądarce. Osoba, która go wysłała, może utworzyć inny.',
  invitation:
    'Ten link nie jest ważny lub już nie jest. Osoba, która wysłała zaproszenie, może wysłać kolejny.',
  client: 'Brakuje client_id lub jest nieznany albo klient jest nieaktywny.',
  document_unknown:
    'Dla dokumentu na {host} nie zarejestrowano żadnego klienta. Rejestruje go administrator: {command}',
  document_unread: 'Dokumentu klienta na {host} nie można użyć: {reason}.',
  client_of_logout: 'Parametr client_id jest nieznany albo klient jest nieaktywny.',
  address_not_registered:
    'Parametr {name} nie jest dokładnie taki jak któryś zarejestrowany dla tego klienta.',
  hint_of_others: 'Parametr id_token_hint nie jest tokenem tożsamości tej usługi.',
  hint_of_client: 'Parametr id_token_hint wydano dla innego klienta.',
  repeated: 'Parametr {name} się powtarza; wyślij go raz.',
  too_long: 'Parametr {name} jest dłuższy niż {count} znaków.',
  nul: 'Parametr {name} zawiera znak NUL.',
  utf8: 'Parametr {name} nie jest poprawnym UTF-8.',
  utf8_body: 'Treść nie jest poprawnym UTF-8.',
  too_many: 'Żądanie ma więcej niż {count} parametrów.',
  objects: 'Parametr {name} nie jest obsługiwany; wyślij same parametry.',
  purpose_of_page: 'Ta strona do tego nie służy.',
  purpose_of_sign_in: 'To logowanie do tego nie służy.',
  language: 'Potrzebny jest język, który istnieje, i ścieżka tej usługi, do której się wraca.',
  nothing_here: 'Pod tym adresem nic nie ma. Adresy są w /api/doc.',
  method: 'Ten adres nie przyjmuje {method}; przyjmuje {allowed}.',
  form_type: 'Treść trzeba wysłać jako application/x-www-form-urlencoded.',
  too_large: 'Treść jest większa, niż przyjmuje ten adres.',
  compressed:
    'Treść jest skompresowana przez Content-Encoding, czego tu się nie czyta. Wyślij ją bez kompresji.',
  cookies_too_large: 'Pliki cookie dla {host} są większe, niż czyta ta usługa.',
  headers_too_large: 'Nagłówki są zbyt duże.',
  malformed: 'Żądanie jest nieprawidłowo zbudowane.',
  permission_needed: 'Ten adres wymaga uprawnienia {name}.',
  no_route: 'Aplikacja nie ma trasy dla tego adresu.',
  misasked: 'Na pytanie serwera proxy nie można odpowiedzieć; dziennik podaje powód.',
  sign_in_needed:
    'Nikt nie jest zalogowany albo logowanie dobiegło końca. Otwórz stronę ponownie, aby się zalogować.',
  not_let_in: 'Logowanie zostało anulowane albo nikt nie może przez nie wejść.',
  host: 'Brakuje nagłówka Host.',
  address_missing: 'Brakuje {name}.',
  expect: 'Oczekiwanie z nagłówka Expect nie jest tu znane.',
  authorization: 'Nagłówek Authorization wysłano więcej niż raz.',
  cut_off: 'Połączenie zamknięto, zanim odczytano żądanie.',
  often: 'Zbyt wiele żądań. Spróbuj ponownie za {seconds} s.',
  busy: 'Zbyt wiele osób loguje się jednocześnie. Spróbuj ponownie za kilka sekund.',
  database: 'Usługa nie może połączyć się ze swoją bazą danych. Spróbuj ponownie za kilka sekund.',
  full: 'Dysk bazy danych jest pełny albo zawodzi: niczego nie zmieniono. Powiadom osoby, które prowadzą usługę.',
  server: 'Coś poszło nie tak po naszej stronie. Podaj operatorowi numer żądania.',
}
