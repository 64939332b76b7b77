import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import type { Messages } from './en.ts'
import { details, errors, situations } from './nl-errors.ts'
import { factors } from './nl-factors.ts'
import { people } from './nl-people.ts'
import { notices } from './nl-notices.ts'
import { phrase } from './phrase.ts'
import { recovery } from './nl-recovery.ts'
import { trial } from './nl-trial.ts'
import { connect } from './nl-connect.ts'
import { upstream } from './nl-upstream.ts'

export const nl: Messages = {
  common: {
    errorPrefix: 'Fout:',
    request: 'Verzoek',
    cancel: 'Annuleren',
    continue: 'Doorgaan',
    useAnotherAccount: 'Een ander account gebruiken',
    signedInAs: (account: Child) => phrase`Aangemeld als ${account}`,
    newTab: '(opent in een nieuw tabblad)',
    language: 'Taal',
    help: 'Hulp',
    privacy: 'Privacy',
    terms: 'Voorwaarden',
    showPassword: 'Tonen',
    hidePassword: 'Verbergen',
    copy: 'Kopiëren',
    copied: 'Gekopieerd',
  },
  front: {
    signIn: 'Meld u aan om uw toepassingen en uw account te zien',
    title: 'Aanmelding en toegang',
    heading: 'Aanmelding en toegang',
    text: 'Toepassingen sturen u hierheen om u aan te melden. Open daarvoor de toepassing die u wilt gebruiken: op dit adres zelf is er niets om u bij aan te melden.',
    developers: 'Voor ontwikkelaars',
    issuer: 'Uitgever (issuer)',
    description: 'Beschrijving van de interface, om te lezen en te proberen',
    discovery: 'Discovery-document',
  },
  password: {
    title: (client: string) => `Aanmelden bij ${client}`,
    heading: 'Aanmelden',
    lead: (client: Child) => phrase`om door te gaan naar ${client}`,
    againHeading: 'Meld u opnieuw aan',
    againLead: (account: Child, client: Child) =>
      phrase`${account}, bevestig dat u het bent voordat u doorgaat naar ${client}.`,
    email: 'E-mailadres',
    password: 'Wachtwoord',
    submit: 'Aanmelden',
    missingEmail: 'Voer uw e-mailadres in.',
    missingPassword: 'Voer uw wachtwoord in.',
    wrongCredentials:
      'E-mailadres en wachtwoord horen niet bij elkaar. Controleer beide en probeer het opnieuw.',
    tooManyAttempts: (seconds: number) =>
      `Er waren te veel pogingen om aan te melden. Probeer het over ${duration('nl', seconds)} opnieuw.`,
    busy: (seconds: number) =>
      `Er melden zich nu heel veel mensen aan. Probeer het over ${duration('nl', seconds)} opnieuw.`,
    passkey: 'Aanmelden met een passkey',
    passkeyFailed: 'Er is geen passkey gebruikt. Probeer het opnieuw, of meld u aan met uw wachtwoord.',
    passkeyRefused:
      'Deze passkey is niet geaccepteerd. Meld u aan met uw wachtwoord of met een andere passkey.',
    passkeyNeeds: 'Zet JavaScript in uw browser aan om u met een passkey aan te melden.',
  },
  firstAdministrator: {
    title: 'Het beheer inrichten',
    heading: 'Het beheer inrichten',
    lead: 'De persoon die u hier noemt, beheert de hele installatie. Deze pagina kan één keer worden gebruikt.',
    name: 'Uw naam',
    email: 'Uw e-mailadres',
    password: 'Een wachtwoord',
    passwordHint: (least: number, most: number) =>
      `${least} tot ${most} tekens. Het best zijn meerdere woorden.`,
    again: 'Het wachtwoord nog een keer',
    submit: 'Inrichten',
    wrongName: {
      missing: 'Voer uw naam in.',
      wrong: 'Voer een naam van hoogstens 200 tekens in, zonder onzichtbare.',
    },
    wrongEmail: {
      missing: 'Voer uw e-mailadres in.',
      wrong: 'Voer een e-mailadres in, bijvoorbeeld lena.hoff@example.com.',
      taken: 'Dit e-mailadres is al van iemand. Voer een ander in.',
    },
    wrongPassword: (least: number, most: number) => ({
      missing: 'Voer een wachtwoord in.',
      too_short: `Het wachtwoord moet minstens ${least} tekens hebben.`,
      too_long: `Het wachtwoord mag hoogstens ${most} tekens hebben.`,
      untypable: 'Het wachtwoord bevat een teken dat niet te typen is.',
      too_common:
        'Dit is een van de wachtwoorden die het eerst worden geraden. Neem meerdere woorden, of wat een wachtwoordbeheerder maakt.',
      differs: 'De twee wachtwoorden zijn niet gelijk. Voer beide opnieuw in.',
    }),
  },
  firstAdministratorMade: {
    steps: 'Uw eerste stappen',
    secure: (link: Child) => phrase`U bent aangemeld: ${link}.`,
    secureLink: 'stel een tweede factor in',
    manage: (link: Child) => phrase`Beheer personen en toepassingen in ${link}.`,
    manageLink: 'de console',
    registerLink: 'Verbind een toepassing',
    register: (command: Child) => phrase`Registreer een toepassing: ${command} kent er veel bij naam.`,
    peopleLink: 'Nodig iemand uit',
    people: (command: Child) => phrase`Voeg personen toe: ${command}.`,
    title: 'Het beheer is ingericht',
    heading: 'U beheert deze installatie',
    text: (email: Child) =>
      phrase`Vanaf nu meldt ${email} zich aan met het wachtwoord dat u zojuist hebt gekozen.`,
    next: (description: Child) =>
      phrase`Deze pagina kan niet nog eens worden gebruikt. Wat u vanaf nu kunt beheren, met de opdracht of via de interface, staat in de ${description}.`,
    description: 'beschrijving van de interface',
  },
  chooseProfile: {
    title: (client: string) => `Een profiel voor ${client} kiezen`,
    heading: 'Een profiel kiezen',
    lead: (client: Child) => phrase`Het bepaalt wat u in ${client} kunt zien en doen.`,
    legend: 'Uw profielen',
    last: 'Laatst gebruikt',
    notAvailable: 'Dat profiel is niet meer beschikbaar. Kies een ander.',
  },
  consent: {
    title: (client: string) => `${client} toestaan?`,
    heading: (client: Child) => phrase`Mag ${client} uw account gebruiken?`,
    scopesHeading: (client: Child) => phrase`Wat ${client} krijgt`,
    scopes: {
      openid: {
        label: 'Wie u hier bent',
        text: 'Een kenmerk van uw account en het profiel dat u gebruikt: rol, organisatie en eenheid.',
      },
      email: { label: 'Uw e-mailadres', text: 'Het adres, en of het bevestigd is.' },
      profile: {
        label: 'Uw persoonlijke gegevens',
        text: 'Naam, gebruikersnaam, afbeelding, taal en tijdzone, voor zover bekend.',
      },
      'service.api': {
        label: 'Toegang tot diensten namens u',
        text: 'Wat hieronder staat, voor zover het profiel dat u gebruikt het toestaat.',
      },
      groups: {
        label: 'Uw groepen',
        text: 'Namen waaronder de toepassing u indeelt: uit uw rol, uw organisatie of wat u mag.',
      },
      offline_access: {
        label: 'Toegang terwijl u er niet bent',
        text: 'Zij mag vernieuwen wat zij heeft gekregen, tot u zich afmeldt.',
      },
    },
    more: (client: Child) => phrase`U hebt ${client} eerder iets toegestaan. Wat nieuw is, is gemarkeerd.`,
    isNew: 'Nieuw',
    administration: 'Beheer van deze dienst',
    nothingThere: 'Zij mag deze dienst aanroepen, en heeft daar geen rechten.',
    moreThere: (count: number) => `nog ${count}`,
    onwardHeading: 'Wat deze diensten elders voor u mogen doen',
    otherPlaces: 'Zij kan uw browser ook sturen naar',
    actions: { read: 'zien', create: 'toevoegen', update: 'wijzigen', delete: 'verwijderen' },
    resources: {
      users: 'Personen',
      organisations: 'Organisaties',
      units: 'Eenheden',
      profiles: 'Profielen',
      roles: 'Rollen',
      permissions: 'Rechten',
      services: 'Diensten',
      clients: 'Toepassingen en machines',
      sessions: 'Sessies',
      consents: 'Toestemmingen',
      keys: 'Ondertekeningssleutels',
      audit: 'Audit',
      access: 'Toegang',
      invitations: 'Uitnodigingen',
      mails: 'E-mails',
      webhooks: 'Webhooks',
    },
    claims: {
      email: 'Uw e-mailadres',
      name: 'Uw naam',
      given_name: 'Uw voornaam',
      family_name: 'Uw achternaam',
      preferred_username: 'Uw gebruikersnaam',
      picture: 'Het adres van uw afbeelding',
      locale: 'Uw taal',
      zoneinfo: 'Uw tijdzone',
      former_sub: 'Uw kenmerk bij de vorige dienst',
      groups: 'Uw groepen',
    },
    permissionsAt: (service: Child) => phrase`Wat het profiel dat u gebruikt bij ${service} toestaat`,
    unknownScope: 'Een extra recht met deze naam.',
    documentAt: (host: Child) =>
      phrase`De uitgever van deze toepassing is wie ${host} heeft. Sta het alleen toe als u haar net zelf hebt gestart.`,
    toProgram: 'Wat u toestaat, gaat naar een programma op deze computer.',
    returnTo: (host: Child) => phrase`Daarna keert uw browser terug naar ${host}.`,
    publisher: (name: Child) => phrase`Uitgegeven door ${name}`,
    about: (link: Child) => phrase`Over deze toepassing: ${link}`,
    withdraw: (page: Child) => phrase`U kunt dit altijd zelf intrekken: ${page}.`,
    allow: 'Toestaan',
    deny: 'Niet toestaan',
  },
  device: {
    title: 'Een apparaat verbinden',
    heading: 'Een apparaat verbinden',
    lead: 'Voer de code in die uw apparaat of programma toont.',
    code: 'Code',
    hint: 'Acht letters, bijvoorbeeld BCDF-GHJK.',
    missing: 'Voer de code in.',
    unknown: 'Deze code bestaat niet of is verlopen. Vergelijk hem met uw apparaat, of begin daar opnieuw.',
    tooMany: (seconds: number) =>
      `Er waren te veel onjuiste codes. Probeer het over ${duration('nl', seconds)} opnieuw.`,
    note: 'U krijgt een vraag voordat het apparaat iets ontvangt.',
  },
  confirmDevice: {
    title: (client: string) => `${client} op een apparaat toestaan?`,
    heading: (client: Child) => phrase`Mag ${client} op een apparaat uw account gebruiken?`,
    compare: 'Uw apparaat moet precies deze code tonen:',
    warning: 'Ga alleen door als u dit zelf bent begonnen, op uw eigen apparaat.',
    why: (client: Child) =>
      phrase`Heeft iemand u de code of een link naar deze pagina gestuurd, dan wil die ${client} namens u gebruiken.`,
  },
  deviceDone: {
    allowed: {
      title: 'Uw apparaat is verbonden',
      heading: 'Uw apparaat is verbonden',
      text: 'Ga verder op uw apparaat. U kunt deze pagina nu sluiten.',
    },
    denied: {
      title: 'Er is niets toegestaan',
      heading: 'Er is niets toegestaan',
      text: 'Het apparaat krijgt geen toegang tot uw account. U kunt deze pagina nu sluiten.',
    },
    allowedBefore: {
      title: 'Dit apparaat was al toegelaten',
      heading: 'Dit apparaat was al toegelaten',
      text: 'Het heeft al toegang: u of iemand anders heeft die toegestaan. Uw weigering heeft niets veranderd. Hebt u de toegang per ongeluk toegestaan, trek die dan in uw account in.',
    },
  },
  signedOut: {
    title: 'Afgemeld',
    heading: 'U bent afgemeld',
    text: 'Uw sessie is beëindigd. U kunt deze pagina nu sluiten.',
    shared: 'Als ook anderen deze computer gebruiken, sluit dan alle browservensters.',
    again: 'Opnieuw aanmelden',
  },
  confirmLogout: {
    title: 'Afmelden?',
    heading: 'Wilt u zich afmelden?',
    text: 'Daarmee eindigt uw sessie in deze browser, en ook uw aanmelding bij alle toepassingen die u van hieruit hebt geopend.',
    textClient: (client: Child) =>
      phrase`Daarmee eindigt uw sessie in deze browser, en ook uw aanmelding bij ${client} en alle andere toepassingen die u van hieruit hebt geopend.`,
    textHere: (client: Child) =>
      phrase`Daarmee eindigt uw aanmelding bij ${client} in deze browser. Bij alle andere toepassingen blijft u aangemeld.`,
    submit: 'Afmelden',
    stay: 'Aangemeld blijven',
  },
  noProfile: {
    title: 'Nog geen toegang',
    heading: 'U hebt nog geen toegang',
    text: (account: Child, client: Child) =>
      phrase`U bent aangemeld als ${account}, maar niemand heeft dit account een profiel gegeven. Zonder profiel kunt u ${client} niet gebruiken.`,
    textElsewhere: (account: Child, client: Child) =>
      phrase`U bent aangemeld als ${account}, en geen van uw profielen hoort bij de organisatie van ${client}.`,
    textShut: (account: Child, client: Child) =>
      phrase`U bent aangemeld als ${account}, en geen van uw profielen opent ${client}.`,
    textWaits: (account: Child, client: Child) =>
      phrase`U bent aangemeld als ${account}, waarvan de profielen wachten: nog niemand heeft aangetoond dat dit account van u is. Laat een link naar u mailen en stel een nieuw wachtwoord in. Daarna kunt u ${client} gebruiken.`,
    sendLink: 'Stuur mij de link',
    whoGives: 'Wie een van deze rollen heeft, kan u toegang geven:',
    ask: 'Vraag de persoon die in uw organisatie de toegang beheert om dit account een profiel te geven. Het verzoeknummer onderaan deze pagina helpt bij het vinden.',
    continue: (client: Child) => phrase`Terug naar ${client}`,
  },
  formPost: {
    title: (place: string) => `Terug naar ${place}`,
    heading: 'Terug naar de toepassing',
    text: (place: Child) =>
      phrase`Uw browser keert terug naar ${place}. Gebeurt dat niet vanzelf, druk dan op de knop.`,
  },
  ...factors,
  ...notices,
  ...recovery,
  ...people,
  ...upstream,
  ...trial,
  ...connect,
  errorPage: {
    technical: 'Technische gegevens',
    code: 'Foutcode',
    description: 'Beschrijving',
    returnAddress: 'Retouradres',
    unknown: {
      heading: 'Er ging iets mis',
      text: 'Het verzoek kon niet worden voltooid.',
      next: 'Ga terug naar de toepassing en begin opnieuw. Helpt dat niet, geef de helpdesk dan het verzoeknummer hieronder.',
    },
    codes: errors,
    situations,
    details,
  },
}
