import type { MailWords } from '../kinds.ts'

/** The words of mails. */
export const nl: MailWords = {
  language: 'nl',
  spans: {
    minute: (count) => (count === 1 ? 'een minuut' : `${count} minuten`),
    hour: (count) => `${count} uur`,
    day: (count) => (count === 1 ? 'een dag' : `${count} dagen`),
  },
  greeting: (name) => `Beste ${name},`,
  address: 'Als de knop niets doet, open dan dit adres:',
  footer: (issuer) => `Dit bericht is verzonden door ${issuer}.`,
  once: (until) => `De link werkt één keer, gedurende ${until}.`,
  ignore: 'Als u dit niet was, hoeft u niets te doen: zonder de link verandert er niets.',
  facts: { when: 'Wanneer', browser: 'Browser', address: 'Netwerkadres', application: 'Toepassing' },
  notMe: 'Dit was ik niet',
  undo: (until) =>
    `Als u het was, hoeft u niets te doen. Zo niet, druk dan binnen ${until} op de knop: dat maakt het ongedaan, meldt u overal af en maakt uw wachtwoord ongeldig, zodat u een nieuw kiest.`,
  undoEach: (until) =>
    `Als u het was, hoeft u niets te doen. Zo niet, druk dan binnen ${until} op de knop: dat maakt dit alles ongedaan, meldt u overal af en maakt uw wachtwoord ongeldig, zodat u een nieuw kiest. Bekijk daarna uw tweede factoren.`,

  test: {
    subject: (service) => `${service}: een test`,
    heading: 'Berichten komen aan',
    before: 'Iemand die deze dienst beheert, wilde zien of berichten aankomen. Dat doen ze.',
  },
  password_reset: {
    subject: 'Een nieuw wachtwoord instellen',
    before: 'Iemand heeft om een nieuw wachtwoord voor uw account gevraagd.',
    button: 'Een nieuw wachtwoord instellen',
  },
  recovery: {
    subject: 'Een weg terug naar uw account',
    before: 'Het beheer laat u een nieuw wachtwoord instellen.',
    button: 'Een nieuw wachtwoord instellen',
  },
  invitation: {
    subject: (to) => `U bent uitgenodigd: ${to}`,
    before: (inviter) => `${inviter} nodigt u uit.`,
    button: 'De uitnodiging aannemen',
    unexpected: 'Als u geen uitnodiging verwachtte, hoeft u niets te doen.',
  },
  enrolment_code: {
    subject: 'Uw code',
    before: 'Voer deze code in de browser in waarin u een tweede factor instelt.',
    counts: (until) => `Hij geldt ${until}, alleen in die browser.`,
    alarm:
      'Als u zich op dit moment niet aanmeldt, kent iemand uw wachtwoord: wijzig het. Geef de code aan niemand.',
  },
  guest_code: {
    before: (name) => `Voer deze code in de browser in waarin u zich via ${name} aanmeldt.`,
    alarm:
      'Als u zich op dit moment niet aanmeldt, heeft iemand uw adres opgegeven: u hoeft niets te doen. Geef de code aan niemand.',
  },
  address_confirmation: {
    subject: 'Uw adres bevestigen',
    before: 'Iemand wil dat dit het adres van het eigen account is.',
    button: 'Het adres bevestigen',
  },
  address_taken: {
    subject: 'Iemand wilde uw adres gebruiken',
    before: [
      'Iemand wilde dat dit het adres van het eigen account is. Het is dat van het uwe, dus er is niets veranderd.',
      'Als u dat was, meld u dan aan bij het account dat u al hebt.',
    ],
  },
  notices: {
    subject: 'Er is meer gebeurd in uw account',
    before: 'Er is veel gebeurd op één dag, daarom staat het in één bericht.',
  },
  headings: {
    new_device: 'Een nieuwe aanmelding bij uw account',
    password_changed: 'Uw wachtwoord is gewijzigd',
    factor_created: 'Er is een tweede factor ingesteld',
    factor_removed: 'Er is een tweede factor verwijderd',
    factor_suspended: 'Er is een tweede factor geblokkeerd',
    recovery_codes_created: 'U hebt nieuwe herstelcodes',
    recovery_code_used: 'Er is een herstelcode gebruikt',
    second_factor_failed: 'Misschien kent iemand uw wachtwoord',
    address_requested: 'Uw adres gaat veranderen',
    address_changed: 'Uw adres is gewijzigd',
    deletion_requested: 'Uw account wordt verwijderd',
    deletion_undone: 'Uw account blijft',
    link_created: 'Nog een manier om bij uw account te komen',
    link_removed: 'Een manier om bij uw account te komen is verwijderd',
    break_glass_used: 'Er is een noodtoegang gebruikt',
    break_glass_changed: 'De noodtoegang is gewijzigd',
    domain_gained: 'Uw organisatie heeft er een domein bij',
    domain_lost: 'Uw organisatie heeft een domein niet meer',
    sync_stopped: 'De personen van een provider worden niet meer nagegaan',
    setup_opened: 'Iemand heeft uw installatielink geopend',
    setup_handed_in: 'Een installatie is ingediend',
  },
  events: {
    new_device: () =>
      'Iemand heeft zich bij uw account aangemeld in een browser die daar nog niet voor was gebruikt.',
    password_changed: ({ byAdministrator }) =>
      byAdministrator
        ? 'Het beheer heeft uw account een ander wachtwoord gegeven.'
        : 'Uw wachtwoord is gewijzigd.',
    factor_created: ({ name }) => `Er is een tweede factor voor uw account ingesteld: “${name}”.`,
    factor_removed: ({ name, byAdministrator }) =>
      byAdministrator
        ? `Het beheer heeft een tweede factor van uw account verwijderd: “${name}”.`
        : `Een tweede factor van uw account is verwijderd: “${name}”.`,
    factor_suspended: ({ name }) =>
      `Een tweede factor van uw account is geblokkeerd: “${name}”. Er waren te veel verkeerde codes, of er bestaat misschien een kopie van.`,
    recovery_codes_created: () =>
      'Er zijn nieuwe herstelcodes voor uw account gemaakt. De vorige gelden niet meer.',
    recovery_code_used: () => 'Er is een herstelcode van uw account gebruikt.',
    second_factor_failed: () =>
      'Iemand heeft uw wachtwoord ingevoerd en daarna meermaals verkeerde codes. Die persoon kent uw wachtwoord: wijzig het.',
    address_requested: ({ name }) =>
      `Iemand heeft gevraagd uw account het adres ${name} te geven. Het is nog niet veranderd.`,
    address_changed: ({ name }) => `Het adres van uw account is nu ${name}.`,
    deletion_requested: () =>
      'U hebt gevraagd uw account te verwijderen. Het is uitgeschakeld en wordt na 14 dagen verwijderd.',
    deletion_undone: () =>
      'Uw account wordt niet verwijderd: dat is ongedaan gemaakt. Het geldt als voorheen.',
    link_created: ({ name }) =>
      `Uw account is nu gekoppeld aan ${name}: wie zich daar aanmeldt, kan zich bij uw account aanmelden.`,
    link_removed: ({ name }) =>
      `Uw account is niet meer gekoppeld aan ${name}: niemand meldt zich er nog via aan.`,
    break_glass_used: ({ name }) =>
      `${name} heeft zich aangemeld zonder de aanmelddienst van de organisatie, met de noodtoegang voor als die niet werkt. U krijgt dit omdat u de organisatie of de installatie beheert. Verwachtte u dit niet, vraag het dan na en schakel het account uit.`,
    break_glass_changed: ({ name }) =>
      `Er is gewijzigd wie binnenkomt als de aanmelddienst van de organisatie niet werkt. Dat zijn nu: ${name}.`,
    domain_gained: ({ name }) =>
      `Het domein ${name} is van een andere organisatie naar de uwe gekomen: het DNS-record noemt nu de uwe. Wie zich met een adres daarvan aanmeldt, komt bij uw provider.`,
    domain_lost: ({ name }) =>
      `Het domein ${name} hoort vanaf nu bij een andere organisatie: het DNS-record noemt die, en het uwe is weg. Wie verbonden was, blijft dat, en er komt niemand bij. Is dat niet de bedoeling, vraag het dan aan wie de DNS van het domein beheert.`,
    sync_stopped: ({ name }) =>
      `Het nagaan, elk uur, van wie ${name} heeft verlaten is gestopt: het is mislukt, of er ontbreken veel meer personen dan anders. Daardoor is niemand beëindigd, en wie weggaat wordt dat niet tot het weer lukt. De provider zegt wat er mis is: tessera attention, of de console.`,
    setup_opened: ({ name }) =>
      `Iemand is begonnen met de installatielink die u voor ${name} hebt gemaakt. Hij telt vanaf nu alleen in die browser. Had dit iemand anders moeten zijn, trek hem dan in.`,
    setup_handed_in: ({ name }) =>
      `Wat is ingevoerd met de installatielink die u voor ${name} hebt gemaakt, is ingediend. Niets ervan telt voordat iemand die dat mag het bekijkt en bevestigt: in de console of met tessera upstream confirm.`,
  },
}
