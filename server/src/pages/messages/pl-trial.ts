import { phrase } from './phrase.ts'
import type { trial as english } from './en-trial.ts'

export const trial: typeof english = {
  trial: {
    title: (name) => `Wypróbuj logowanie przez ${name}`,
    text: (name) =>
      phrase`Logujesz się w ${name} na próbę. Nigdzie Cię to nie zaloguje i nic tutaj nie zmieni.`,
    seen: 'Kto o to poprosił, zobaczy, co zostało o Tobie podane: nazwę, adres, grupy i podobne dane.',
    overTitle: 'Ten adres już nie obowiązuje',
    over: 'Obowiązuje przez 15 minut, w przeglądarce, która otworzy go pierwsza. Poproś o nowy.',
    doneTitle: (name) => `Odpowiedź od: ${name}`,
    nothing: 'To była próba: nikt nie jest zalogowany i nic nie zostało zapisane.',
    came: 'Co zostało o Tobie podane',
    subject: 'Kim tam jesteś',
    fields: {
      email: 'Adres e-mail',
      name: 'Imię i nazwisko',
      given_name: 'Imię',
      family_name: 'Nazwisko',
      preferred_username: 'Nazwa użytkownika',
      locale: 'Język',
      zoneinfo: 'Strefa czasowa',
    },
    groups: 'Grupy',
    none: 'brak. Jeśli jakieś powinny być: u dostawcy włącz ich wysyłanie jako groups, w tokenie ID albo w asercji (w katalogu: memberOf), i sprawdź, czy należysz do którejś.',
    unknownGroups:
      'Nie są podane albo jest ich za dużo. Na ich podstawie nic nie zostanie dane ani odebrane.',
    signedInAt: 'Zalogowano tam',
    noTime: 'Nie podano kiedy.',
    would: 'Co zrobiłoby logowanie',
    outcomes: {
      known: 'Zalogowałoby Cię na Twoje konto.',
      linked: 'Połączyłoby Twoje konto i zalogowałoby Cię na nie.',
      new: 'Utworzyłoby nowe konto i zalogowałoby Cię na nie.',
      prove:
        'Konto z tym adresem już istnieje i nie należy wyłącznie do organizacji. Najpierw trzeba by się na nie zalogować, a potem połączyć oba.',
      guest:
        'Adres nie należy do żadnej domeny organizacji. Najpierw trzeba by podać kod wysłany na ten adres.',
      refused: 'Nie wpuściłoby Cię.',
    },
    reasons: {
      unknown_person:
        'Nikt nie zaprosił ani nie utworzył tej osoby. Tutaj: zaproś ją, pozwól katalogowi ją utworzyć albo pozwól, by konta powstawały przy logowaniu (provision: create).',
      no_address: 'Nie podano adresu e-mail. U dostawcy: włącz jego wysyłanie. Tutaj: wskaż go w attributes.',
      outside_domains:
        'Adres nie należy do żadnej domeny organizacji. Tutaj: udowodnij domenę albo dopuść gości, do czego potrzebny jest serwer poczty.',
      conflict:
        'Konto z tym adresem należy tam do innej tożsamości. Tutaj: sprawdź połączenia konta i usuń stare, jeśli to ta sama osoba.',
      disabled: 'Konto jest wyłączone. Tutaj: włącz je, jeśli to należy do Ciebie.',
      address_domain: 'Podany adres nie należy do żadnej domeny organizacji: konto zachowuje swój.',
      address_taken: 'Podany adres należy do kogoś innego: konto zachowuje swój.',
    },
    changes: 'Pola, które by się zmieniły',
    gives: 'Profile, które by się zaczęły',
    ends: 'Profile, które by się skończyły',
    cures: {
      unreachable:
        'Tutaj: sprawdź adres (wystawcy, metadanych lub katalogu). U dostawcy: musi być osiągalny z tej usługi, pod publiczną nazwą i z ważnym certyfikatem.',
      documents:
        'Tutaj: porównaj wystawcę i adres metadanych z tym, co dostawca mówi o sobie, litera po literze, razem z dzierżawą i ukośnikiem na końcu.',
      client_refused:
        'U dostawcy: zarejestruj dokładnie adres powrotny tego logowania. Tutaj: ustaw identyfikator klienta i obowiązujący sekret; dla katalogu konto, które szuka, i jego hasło.',
      denied:
        'U dostawcy: przypisz osobę lub jej grupę do tej aplikacji i wyraź zgodę za wszystkich. Albo ktoś anulował: zacznij od nowa.',
      response:
        'U dostawcy: porównaj adres powrotny lub ACS i spraw, by odpowiadał dokładnie na to, o co zapytano. Każdą próbę zaczynaj tutaj, z nowym adresem.',
      signature:
        'U dostawcy: podpisuj przez RS256, PS256 lub ES256, a w SAML przez RSA i SHA-256. Tutaj: weź klucze lub certyfikaty, którymi teraz podpisuje; metadane czytane z adresu odnawiają się same.',
      issuer:
        'Tutaj: porównaj wystawcę z tym, jak dostawca sam się nazywa. Pomylono dwie dzierżawy albo dwóch dostawców.',
      audience:
        'U dostawcy: odpowiedź jest dla innej aplikacji. OpenID Connect: jej identyfikator klienta musi być tym, który stoi tutaj. SAML: jej odbiorcą (audience) musi być identyfikator jednostki tego logowania.',
      nonce:
        'U dostawcy: odpowiedź musi powtórzyć nonce z zapytania. Zacznij od nowa; jeśli tak zostanie, nie jest to OpenID Connect.',
      expired: 'Ustaw zegary po obu stronach. Albo trwało to za długo: zacznij od nowa.',
      replayed: 'Odpowiedź została już użyta. Zacznij od nowa z nowym adresem.',
      no_subject:
        'U dostawcy: spraw, by podawał, kim ktoś jest, przez sub (Entra: oid i tid), trwały NameID albo atrybut, który tutaj wskazuje subject.',
      too_old: 'U dostawcy: najpierw się tam wyloguj i zacznij od nowa.',
      request_over: 'Trwało to za długo albo wróciła inna przeglądarka. Zacznij od nowa z nowym adresem.',
      inactive: 'Tutaj: organizacja jest wyłączona. Włącz ją.',
      wrong_credentials: 'Sprawdź nazwę i hasło w katalogu.',
      throttled: 'W krótkim czasie było za dużo prób. Odczekaj kwadrans i zacznij od nowa.',
    },
    registered: 'Do zarejestrowania tam',
    back: 'Powrót do przewodnika',
  },
}
