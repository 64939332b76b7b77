import { phrase } from './phrase.ts'
import type { upstream as english } from './en-upstream.ts'

export const upstream: typeof english = {
  upstream: {
    continue: 'Doorgaan met uw organisatie',
    continueWith: (name) => `Doorgaan met ${name}`,
    noOrganisation:
      'Geen enkele organisatie meldt hier mensen van dat domein aan. Controleer het adres, of meld u aan met uw wachtwoord.',
    usual: 'Wie een adres van dit domein heeft, meldt zich aan via de eigen organisatie.',
    noTime:
      'De aanmelddienst van uw organisatie zegt niet wanneer u zich hebt aangemeld, en deze toepassing vraagt daarnaar. Meld u hier aan.',
    beyond: 'Toon voor deze toepassing met een eigen wachtwoord of passkey dat u het bent.',
    chooseTitle: 'Hoe wilt u zich aanmelden?',
    chooseText: 'Bij uw organisatie kunt u zich op meer dan één manier aanmelden.',
    requiredTitle: (name) => `Aanmelden via ${name}`,
    requiredText: (organisation) =>
      phrase`${organisation} vraagt de eigen mensen om zich aan te melden via de aanmelddienst van de organisatie.`,
    failedTitle: (name) => `Het aanmelden via ${name} is niet gelukt`,
    back: 'Terug naar het aanmelden',
    failed: {
      unreachable:
        'De aanmelddienst antwoordt niet. Probeer het over een paar minuten opnieuw, of meld het aan de mensen die hem beheren.',
      setup:
        'Het antwoord is niet bruikbaar: tussen de aanmelddienst en deze dienst is iets niet goed ingesteld. Meld het aan uw beheerders; het nummer hieronder helpt hen bij het zoeken.',
      denied: 'Het aanmelden is daar afgebroken of geweigerd.',
      over: 'Het aanmelden duurde te lang, was al gebruikt of begon in een andere browser. Begin opnieuw.',
      too_old:
        'Er was om een nieuwe aanmelding gevraagd, en het antwoord noemde een oudere. Meld u daar af en probeer het opnieuw.',
      inactive: 'De aanmelddienst is hier op dit moment uitgeschakeld. Vraag het uw beheerders.',
      unknown_person:
        'Daar bent u bekend, maar hier is er nog geen account voor u. Vraag uw beheerders om een uitnodiging.',
      no_address: 'De aanmelddienst geeft uw e-mailadres niet door. Vraag uw beheerders dat toe te staan.',
      outside_domains:
        'Uw adres hoort bij een domein waarvoor de aanmelddienst niet kan instaan. Vraag het uw beheerders.',
      conflict:
        'Het account met uw adres hoort daar bij een andere aanmelding. Vraag uw beheerders de koppeling te bekijken.',
      disabled: 'Uw account is uitgeschakeld. Vraag het uw beheerders.',
      needed:
        'U bent de enige die binnenkomt als het niet werkt. Vraag uw beheerders eerst iemand anders aan te wijzen.',
      other_person:
        'Daar hebt u zich als iemand anders aangemeld dan u hier bent. Meld u daar af en probeer het opnieuw.',
      untimed:
        'Er wordt niet gezegd wanneer u zich hebt aangemeld, dus kan dat niet opnieuw worden bevestigd. Stel een eigen wachtwoord in: meld u hier af en kies bij het aanmelden dat u het bent vergeten.',
      taken:
        'Die aanmelding hoort hier bij een ander account, of uw account daar bij een andere aanmelding. Er is niets gekoppeld.',
    },
    ldapText: (name) => phrase`Voer de naam en het wachtwoord in die u bij ${name} gebruikt.`,
    name: 'Gebruikersnaam of e-mailadres',
    password: 'Wachtwoord',
    submit: 'Aanmelden',
    wrongCredentials: 'Naam en wachtwoord horen niet bij elkaar. Controleer beide en probeer het opnieuw.',
    throttled: 'Er waren te veel verkeerde wachtwoorden. Probeer het over een kwartier opnieuw.',
    missing: 'Voer uw naam en uw wachtwoord in.',
    provedTitle: 'U hebt het bevestigd',
    provedText: 'Uw bewijs geldt tien minuten. Ga nu verder met wat u wilde doen.',
    linksTitle: 'Aanmeldingen van organisaties',
    linkedSince: (date) => `Gekoppeld op ${date}`,
    lastWay: 'Dit is uw enige toegang. Stel een eigen wachtwoord of passkey in voordat u die verwijdert.',
    connectWith: (name) => `Koppelen met ${name}`,
    connectHere: (who) => phrase`Hier bent u ${who}.`,
    connectKnown: (who, name) => phrase`${name} noemt u ${who}.`,
    connectText: (name) =>
      phrase`Wie zich daar als die persoon aanmeldt, kan zich voortaan via ${name} bij uw account aanmelden.`,
    connectBreakGlass:
      'U bent een van degenen die binnenkomen als de aanmelding van deze organisatie niet werkt. Als u haar koppelt, bent u dat niet meer.',
    connectRefused: {
      unproved:
        'Niemand heeft nog bevestigd dat dit account van u is. Meld u af, kies bij het aanmelden dat u uw wachtwoord bent vergeten en stel via de e-mail een nieuw in.',
      notOffered:
        'Deze aanmelding kan nu niet worden gekoppeld: ze is al gekoppeld, is uitgeschakeld of geeft toegang tot meer dan u hebt bewezen.',
    },
    connectDone: {
      connected: 'De aanmelding is gekoppeld.',
      unlinked: 'De aanmelding is verwijderd.',
      over: 'Dat duurde te lang. Er is niets gekoppeld.',
    },
    guestTitle: 'Bevestig uw adres',
    guestText: (email, name) =>
      phrase`${name} meldt u aan, maar staat niet in voor het domein van ${email}. Laat zien dat het adres van u is.`,
    linkTitle: 'De twee aanmeldingen koppelen?',
    linkText: (email, name) =>
      phrase`Het account met ${email} bestaat al. Voortaan zou u zich er ook via ${name} bij kunnen aanmelden.`,
    linkAs: (subject, name) => phrase`Bij ${name} bent u ${subject}.`,
    link: 'Koppelen',
    notNow: 'Niet nu',
  },
}
