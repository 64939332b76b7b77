import { phrase } from './phrase.ts'
import type { trial as english } from './en-trial.ts'

export const trial: typeof english = {
  trial: {
    title: (name) => `Inloggen via ${name} uitproberen`,
    text: (name) =>
      phrase`U logt bij ${name} in als proef. Daarmee bent u nergens ingelogd en hier verandert niets.`,
    seen: 'Wie erom heeft gevraagd, ziet wat er over u wordt gezegd: naam, adres, groepen en dergelijke.',
    overTitle: 'Dit adres geldt niet meer',
    over: 'Het geldt 15 minuten, in de browser die het als eerste opent. Vraag om een nieuw adres.',
    doneTitle: (name) => `${name} heeft geantwoord`,
    nothing: 'Dit was een proef: niemand is ingelogd en er is niets opgeslagen.',
    came: 'Wat er over u is gezegd',
    subject: 'Wie u daar bent',
    fields: {
      email: 'E-mailadres',
      name: 'Naam',
      given_name: 'Voornaam',
      family_name: 'Achternaam',
      preferred_username: 'Gebruikersnaam',
      locale: 'Taal',
      zoneinfo: 'Tijdzone',
    },
    groups: 'Groepen',
    none: 'geen. Als er wel zouden moeten zijn: laat ze bij de aanbieder meesturen als groups, in het ID-token of de assertion (bij een directory: memberOf), en kijk of u in een groep zit.',
    unknownGroups:
      'Ze worden niet genoemd, of het zijn er te veel. Daardoor wordt niets gegeven of afgenomen.',
    signedInAt: 'Daar ingelogd',
    noTime: 'Wanneer wordt niet gezegd.',
    would: 'Wat inloggen zou doen',
    outcomes: {
      known: 'U zou worden ingelogd in uw account.',
      linked: 'Uw account zou worden gekoppeld en u zou erin worden ingelogd.',
      new: 'Er zou een nieuw account worden gemaakt en u zou erin worden ingelogd.',
      prove:
        'Er is al een account met dit adres, en dat is niet alleen van de organisatie. U zou daar eerst inloggen en dan beide koppelen.',
      guest:
        'Het adres hoort bij geen domein van de organisatie. Eerst zou worden gevraagd om een code die ernaartoe gaat.',
      refused: 'U zou niet worden toegelaten.',
    },
    reasons: {
      unknown_person:
        'Niemand heeft deze persoon uitgenodigd of aangemaakt. Hier: nodig die uit, laat een directory die aanmaken, of laat inloggen accounts aanmaken (provision: create).',
      no_address:
        'Er kwam geen e-mailadres. Bij de aanbieder: laat het meesturen. Hier: noem het in attributes.',
      outside_domains:
        'Het adres hoort bij geen domein van de organisatie. Hier: bewijs het domein, of sta gasten toe; daarvoor is een mailserver nodig.',
      conflict:
        'Het account met dit adres hoort daar bij een andere identiteit. Hier: bekijk de koppelingen van het account en verwijder de oude als het dezelfde persoon is.',
      disabled: 'Het account is uitgeschakeld. Hier: schakel het in, als u daarover gaat.',
      address_domain:
        'Het genoemde adres hoort bij geen domein van de organisatie: het account houdt het adres dat het heeft.',
      address_taken: 'Het genoemde adres is van iemand anders: het account houdt het adres dat het heeft.',
    },
    changes: 'Velden die zouden veranderen',
    gives: 'Profielen die zouden beginnen',
    ends: 'Profielen die zouden eindigen',
    cures: {
      unreachable:
        'Hier: controleer het adres (issuer, metadata of directory). Bij de aanbieder: die moet vanaf deze dienst bereikbaar zijn, onder een openbare naam en met een geldig certificaat.',
      documents:
        'Hier: vergelijk de issuer en het adres van de metadata met wat de aanbieder van zichzelf zegt, letter voor letter, met tenant en schuine streep aan het eind.',
      client_refused:
        'Bij de aanbieder: registreer precies het terugkeeradres van deze login. Hier: stel de client-id in en een geheim dat nu geldt; bij een directory het account dat zoekt en het wachtwoord daarvan.',
      denied:
        'Bij de aanbieder: wijs de persoon, of een van diens groepen, aan deze toepassing toe en geef toestemming voor iedereen. Of iemand heeft geannuleerd: begin opnieuw.',
      response:
        'Bij de aanbieder: vergelijk het terugkeer- of ACS-adres en laat precies antwoorden wat is gevraagd. Begin elke poging hier, met een nieuw adres.',
      signature:
        'Bij de aanbieder: onderteken met RS256, PS256 of ES256, bij SAML met RSA en SHA-256. Hier: neem de sleutels of certificaten waarmee die nu ondertekent; metadata van een adres vernieuwt zichzelf.',
      issuer:
        'Hier: vergelijk de issuer met hoe de aanbieder zichzelf noemt. Twee tenants of twee aanbieders zijn verwisseld.',
      audience:
        'Bij de aanbieder: het antwoord is voor een andere toepassing. OpenID Connect: de client-id daarvan moet die zijn die hier staat. SAML: de audience daarvan moet de entity-id van deze login zijn.',
      nonce:
        'Bij de aanbieder: het antwoord moet de nonce van de vraag herhalen. Begin opnieuw; blijft het zo, dan spreekt die geen OpenID Connect.',
      expired: 'Zet de klokken van beide kanten gelijk. Of het duurde te lang: begin opnieuw.',
      replayed: 'Het antwoord was al gebruikt. Begin opnieuw met een nieuw adres.',
      no_subject:
        'Bij de aanbieder: laat zeggen wie iemand is, met sub (Entra: oid en tid), een blijvende NameID of het attribuut dat subject hier noemt.',
      too_old: 'Bij de aanbieder: log daar eerst uit en begin opnieuw.',
      request_over:
        'Het duurde te lang, of er kwam een andere browser terug. Begin opnieuw met een nieuw adres.',
      inactive: 'Hier: de organisatie is uitgeschakeld. Schakel die in.',
      wrong_credentials: 'Controleer de naam en het wachtwoord in de directory.',
      throttled: 'Er waren in korte tijd te veel pogingen. Wacht een kwartier en begin opnieuw.',
    },
    registered: 'Daar in te vullen',
    back: 'Terug naar de handleiding',
  },
}
