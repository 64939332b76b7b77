import type { connect as english } from './en-connect.ts'
import { phrase } from './phrase.ts'
import type { Translated } from './translated.ts'

/** The words of the guide by which an organisation sets up its sign-in itself. */
export const connect: Translated<typeof english> = {
  connect: {
    title: 'Uw organisatie verbinden',
    heading: (organisation) => phrase`${organisation} verbinden`,
    lead: 'Hier stelt u in hoe de mensen van uw organisatie zich aanmelden: bij uw eigen aanmelddienst en met uw eigen domein. U hebt iemand nodig die beide mag beheren.',
    nothingCounts: 'Niets telt voordat de beheerders van deze dienst het hebben bevestigd.',
    oneBrowser: (until) => `Zodra u begint, telt de link alleen nog in deze browser, tot ${until}.`,
    begin: 'Beginnen',
    back: 'Alle stappen',
    steps: {
      provider: 'Uw aanmelddienst kiezen',
      values: 'Verbinden',
      domain: 'Uw domein aantonen',
      trial: 'Proberen',
      provisioning: 'Accounts beheren via SCIM',
      finish: 'Indienen',
    },
    texts: {
      provider: 'Waar uw mensen zich aanmelden',
      values: 'Wat u daar plakt en wat u daarvandaan overneemt',
      domain: 'Met een DNS-record',
      trial: 'Meld u één keer aan; er blijft niets van over',
      provisioning: 'Als uw aanmelddienst hier accounts moet maken en verwijderen',
      finish: 'Daarna wordt het bekeken en bevestigd',
    },
    done: 'Klaar',
    toDo: 'Te doen',
    optional: 'Niet nodig',
    otherOidc: 'Een andere, met OpenID Connect',
    otherSaml: 'Een andere, met SAML 2.0',
    changes: 'Een andere aanmelddienst wist wat u bij de vorige hebt ingevoerd.',
    valuesHeading: (provider) => `${provider} verbinden`,
    there: (provider) => `Bij ${provider}`,
    thereOther: 'Bij uw aanmelddienst',
    open: (path) => phrase`Open ${path}.`,
    register: 'Registreer deze dienst daar als nieuwe toepassing.',
    paste: 'Plak daar:',
    sendOidc: (email, groups) =>
      phrase`Laat het e-mailadres meesturen als claim ${email} en, als profielen groepen moeten volgen, de groepen als ${groups}.`,
    sendSaml: (format, mail, groups) =>
      phrase`Laat een NameID sturen met het formaat ${format}, gemaakt van iets dat bij een mens nooit verandert, het e-mailadres als attribuut ${mail} en, als profielen groepen moeten volgen, de groepen als ${groups}. De assertion wordt ondertekend en niet versleuteld.`,
    here: 'Hierheen overnemen',
    from: (path) => `Daar: ${path}`,
    issuer: 'Issuer',
    tenant: 'Map-id (tenant), of de issuer',
    clientId: 'Client-ID',
    clientSecret: 'Clientgeheim',
    secretHint: 'Het wordt versleuteld bewaard en aan niemand getoond.',
    secretKept: 'Er is er een bewaard. Een ander vervangt het.',
    noSecret: (keys) => phrase`Zonder geheim toont deze dienst zich met een sleutel, te vinden op ${keys}.`,
    metadataUrl: 'Adres van de metagegevens',
    metadataHint: (example) => `Bijvoorbeeld ${example}. Nieuwe certificaten worden daar gelezen.`,
    orFile: 'Of de metagegevens als bestand',
    orText: 'Of de metagegevens als tekst',
    check: 'Controleren en bewaren',
    problems: {
      missing: 'Vul dit in.',
      wrong: 'Dit is niet te gebruiken: controleer het op spaties, ontbrekende delen en de lengte.',
      issuer:
        'Dit is geen issuer van één aanmelddienst. Neem hem over zoals hij daar staat, bij Entra die van uw eigen tenant.',
      unreachable:
        'Uw aanmelddienst is op dit adres niet te bereiken. Hier: controleer het adres. Bij uw aanmelddienst: laat hem vanaf internet via https bereikbaar zijn, met een certificaat dat browsers vertrouwen.',
      documents:
        'Wat uw aanmelddienst publiceert past niet. Hier: neem de issuer precies over, tot de laatste schuine streep. Bij uw aanmelddienst: kijk naar wat hieronder staat.',
      metadata:
        'Deze metagegevens zijn niet te gebruiken. Hier: neem de federatiemetagegevens van de identiteitsprovider, in hun geheel. Bij uw aanmelddienst: kijk naar wat hieronder staat.',
    },
    detail: 'Precies:',
    throttled: 'Er waren te veel pogingen. Ga over een uur verder.',
    kept: 'Het is gecontroleerd en bewaard.',
    domainLead: 'Dat is het deel na de @ in de adressen van uw mensen. Een record toont dat het van u is.',
    domain: 'Domein',
    keepDomain: 'Record tonen',
    wrongDomain: 'Dit is geen domein. Voer er een in zoals acme.example.',
    record: 'Voeg dit record toe aan uw DNS:',
    recordName: 'Naam',
    recordType: 'Type',
    recordValue: 'Waarde',
    look: 'Nu kijken',
    looks: {
      found: 'Het record is er.',
      no_record:
        'Het record is er nog niet. DNS kan een uur duren. In uw DNS: controleer de naam, waar sommige het domein zelf achter zetten, en de waarde.',
      alias: 'In uw DNS: de naam is een alias (CNAME). Zet het record bij de naam zelf.',
      wildcard: 'In uw DNS: een jokerteken (*) antwoordt. Zet het record bij de naam zelf.',
      no_answer:
        'De servers van dit domein antwoorden niet. In uw DNS: kijk of ze werken en probeer het opnieuw.',
    },
    trialLead:
      'U meldt zich één keer aan bij uw aanmelddienst en ziet wat er aankomt. Het geeft geen toegang en maakt geen account.',
    trialFirst: 'Verbind eerst uw aanmelddienst.',
    trialBegun: 'U hebt geprobeerd wat nu is ingevoerd.',
    tryIt: 'Proberen',
    provisioningLead:
      'Met SCIM maakt, wijzigt en verwijdert uw aanmelddienst hier zelf accounts. Laat het weg als u dat niet gebruikt.',
    makeToken: 'Token maken',
    replaceToken: 'Ander token maken',
    replaces: 'Er is een token. Een ander komt ervoor in de plaats.',
    tokenOnce: 'Het token wordt alleen deze keer getoond: plak het nu bij uw aanmelddienst.',
    tokenWaits: 'Het wordt geweigerd (401) tot is bevestigd wat u indient, en telt vanaf dan een jaar.',
    finishLead: 'Dit wordt ingediend. Daarna is de link afgelopen en kan er niets meer aan worden veranderd.',
    nothingYet: 'Er is nog niets om in te dienen.',
    notTried: 'U hebt het niet geprobeerd. Wie het bevestigt, ziet dat.',
    handIn: 'Indienen',
    doneTitle: 'Het is ingediend',
    doneText: 'De beheerders van deze dienst krijgen bericht. Niets telt voordat zij het hebben bevestigd.',
    donePlaces: 'Laat het record in uw DNS en wat u bij uw aanmelddienst hebt geplakt zoals ze zijn.',
  },
}
