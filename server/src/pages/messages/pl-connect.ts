import type { connect as english } from './en-connect.ts'
import { phrase } from './phrase.ts'
import type { Translated } from './translated.ts'

/** The words of the guide by which an organisation sets up its sign-in itself. */
export const connect: Translated<typeof english> = {
  connect: {
    title: 'Połącz swoją organizację',
    heading: (organisation) => phrase`Połącz: ${organisation}`,
    lead: 'Tutaj ustalasz, jak logują się osoby z Twojej organizacji: u własnego dostawcy logowania i we własnej domenie. Potrzebna jest osoba, która może zarządzać jednym i drugim.',
    nothingCounts: 'Nic nie działa, zanim operatorzy tej usługi tego nie potwierdzą.',
    oneBrowser: (until) => `Od rozpoczęcia link działa tylko w tej przeglądarce, do ${until}.`,
    begin: 'Rozpocznij',
    back: 'Wszystkie kroki',
    steps: {
      provider: 'Wybierz dostawcę',
      values: 'Połącz go',
      domain: 'Potwierdź domenę',
      trial: 'Wypróbuj',
      provisioning: 'Zarządzanie kontami przez SCIM',
      finish: 'Przekaż',
    },
    texts: {
      provider: 'Gdzie logują się osoby z organizacji',
      values: 'Co tam wkleić i co stamtąd skopiować',
      domain: 'Wpisem w DNS',
      trial: 'Zaloguj się raz; nic po tym nie zostaje',
      provisioning: 'Jeśli dostawca ma tu tworzyć i usuwać konta',
      finish: 'Potem zostanie to obejrzane i potwierdzone',
    },
    done: 'Gotowe',
    toDo: 'Do zrobienia',
    optional: 'Niepotrzebne',
    otherOidc: 'Inny, przez OpenID Connect',
    otherSaml: 'Inny, przez SAML 2.0',
    changes: 'Inny dostawca usuwa to, co wpisano dla poprzedniego.',
    valuesHeading: (provider) => `Połącz: ${provider}`,
    there: (provider) => `U dostawcy ${provider}`,
    thereOther: 'U Twojego dostawcy',
    open: (path) => phrase`Otwórz ${path}.`,
    register: 'Zarejestruj tam tę usługę jako nową aplikację.',
    paste: 'Wklej tam:',
    sendOidc: (email, groups) =>
      phrase`Niech wysyła adres e-mail jako claim ${email}, a jeśli profile mają wynikać z grup, grupy jako ${groups}.`,
    sendSaml: (format, mail, groups) =>
      phrase`Niech wysyła NameID w formacie ${format}, utworzony z czegoś, co dla danej osoby nigdy się nie zmienia, adres e-mail jako atrybut ${mail}, a jeśli profile mają wynikać z grup, grupy jako ${groups}. Asercja jest podpisana i nie jest szyfrowana.`,
    here: 'Skopiuj tutaj',
    from: (path) => `Tam: ${path}`,
    issuer: 'Issuer',
    tenant: 'Identyfikator katalogu (dzierżawy) albo issuer',
    clientId: 'Identyfikator klienta',
    clientSecret: 'Sekret klienta',
    secretHint: 'Jest przechowywany w postaci zaszyfrowanej i nikomu nie jest pokazywany.',
    secretKept: 'Sekret jest zapisany. Inny go zastąpi.',
    noSecret: (keys) => phrase`Bez sekretu usługa potwierdza się kluczem, dostępnym pod ${keys}.`,
    metadataUrl: 'Adres metadanych',
    metadataHint: (example) => `Na przykład ${example}. Nowe certyfikaty są stamtąd odczytywane.`,
    orFile: 'Albo metadane jako plik',
    orText: 'Albo metadane jako tekst',
    check: 'Sprawdź i zapisz',
    problems: {
      missing: 'Wypełnij to pole.',
      wrong: 'Tego nie można użyć: sprawdź spacje, brakujące części i długość.',
      issuer:
        'To nie jest issuer jednego dostawcy. Skopiuj go od dostawcy dokładnie tak, jak tam jest, a w Entra ten Twojej dzierżawy.',
      unreachable:
        'Dostawca nie jest osiągalny pod tym adresem. Tutaj: sprawdź adres. U dostawcy: musi być osiągalny z internetu przez https, z certyfikatem, któremu ufają przeglądarki.',
      documents:
        'To, co publikuje dostawca, nie pasuje. Tutaj: skopiuj issuer dokładnie, do ostatniego ukośnika. U dostawcy: sprawdź to, co podano niżej.',
      metadata:
        'Tych metadanych nie można użyć. Tutaj: weź metadane federacji dostawcy tożsamości w całości. U dostawcy: sprawdź to, co podano niżej.',
    },
    detail: 'Dokładnie:',
    throttled: 'Było zbyt wiele prób. Kontynuuj za godzinę.',
    kept: 'Sprawdzone i zapisane.',
    domainLead: 'To część po znaku @ w adresach osób z organizacji. Wpis pokazuje, że należy do Ciebie.',
    domain: 'Domena',
    keepDomain: 'Pokaż wpis',
    wrongDomain: 'To nie jest domena. Wpisz taką jak acme.example.',
    record: 'Dodaj ten wpis do swojego DNS:',
    recordName: 'Nazwa',
    recordType: 'Typ',
    recordValue: 'Wartość',
    look: 'Sprawdź teraz',
    looks: {
      found: 'Wpis jest na miejscu.',
      no_record:
        'Wpisu jeszcze nie ma. DNS może potrzebować godziny. W DNS: sprawdź nazwę, do której niektóre panele same dodają domenę, i wartość.',
      alias: 'W DNS: nazwa jest aliasem (CNAME). Umieść wpis pod samą nazwą.',
      wildcard: 'W DNS: odpowiada wpis wieloznaczny (*). Umieść wpis pod samą nazwą.',
      no_answer: 'Serwery tej domeny nie odpowiadają. W DNS: sprawdź, czy działają, i spróbuj ponownie.',
    },
    trialLead:
      'Logujesz się raz u swojego dostawcy i widzisz, co przychodzi. Nie daje to dostępu i nie tworzy konta.',
    trialFirst: 'Najpierw połącz dostawcę.',
    trialBegun: 'Wypróbowano to, co jest teraz wpisane.',
    tryIt: 'Wypróbuj',
    provisioningLead:
      'Przez SCIM dostawca sam tworzy, zmienia i usuwa tu konta. Pomiń to, jeśli tego nie używasz.',
    makeToken: 'Utwórz token',
    replaceToken: 'Utwórz inny token',
    replaces: 'Jest już token. Inny zajmie jego miejsce.',
    tokenOnce: 'Token jest pokazywany tylko ten jeden raz: wklej go teraz u dostawcy.',
    tokenWaits:
      'Jest odrzucany (401), dopóki to, co przekażesz, nie zostanie potwierdzone, i od tego czasu działa rok.',
    finishLead: 'To zostanie przekazane. Potem link się kończy i nic już nie można zmienić.',
    nothingYet: 'Nie ma jeszcze czego przekazać.',
    notTried: 'Nie wypróbowano tego. Widzi to osoba, która potwierdza.',
    handIn: 'Przekaż',
    doneTitle: 'Przekazano',
    doneText: 'Operatorzy tej usługi dostają wiadomość. Nic nie działa, zanim tego nie potwierdzą.',
    donePlaces: 'Zostaw bez zmian wpis w DNS i to, co wklejono u dostawcy.',
  },
}
