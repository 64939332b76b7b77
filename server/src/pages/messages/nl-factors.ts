import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import type { factors as english } from './en-factors.ts'
import { phrase } from './phrase.ts'

export const factors: typeof english = {
  secondFactor: {
    title: 'Bevestig dat u het bent',
    heading: 'Bevestig dat u het bent',
    lead: (account: Child) => phrase`${account}, uw wachtwoord alleen is hier niet genoeg.`,
    code: 'Code van uw authenticator-app',
    hint: 'Zes cijfers. Elke code geldt één keer.',
    recoveryLead:
      'Elke herstelcode geldt één keer. U hebt ze opgeschreven of afgedrukt toen u uw tweede factor instelde.',
    recoveryCode: 'Herstelcode',
    recoveryHint: 'Bijvoorbeeld 7-K3QF-9XWM-2TRB-HDN4, met het nummer.',
    submit: 'Doorgaan',
    trust: (days: number) => `In deze browser ${days === 1 ? 'een dag' : `${days} dagen`} niet meer vragen`,
    useKey: 'Een passkey of beveiligingssleutel gebruiken',
    keyFailed: 'Er is geen passkey of beveiligingssleutel gebruikt. Probeer het opnieuw.',
    keyNeeds: 'Zet JavaScript in uw browser aan om een passkey of beveiligingssleutel te gebruiken.',
    wrongKey:
      'Deze passkey of beveiligingssleutel is niet geaccepteerd. Probeer het opnieuw of gebruik een andere.',
    keySuspended:
      'Uw passkey of beveiligingssleutel geldt op dit moment niet, omdat er een kopie van zou kunnen zijn. Gebruik een herstelcode, of vraag het aan de beheerders van deze dienst.',
    useRecovery: 'Een herstelcode gebruiken',
    useApp: 'Uw tweede factor gebruiken',
    missing: 'Voer de code in.',
    wrong: 'Deze code is onjuist of al gebruikt. Wacht op de volgende en voer die in.',
    wrongRecovery: 'Deze herstelcode bestaat niet of is al gebruikt.',
    suspended:
      'Er waren te veel onjuiste codes, daarom gelden codes van uw authenticator-app op dit moment niet. Gebruik een herstelcode of een browser waarin u zich eerder hebt aangemeld, of vraag het aan de beheerders van deze dienst.',
    tooMany: (seconds: number) =>
      `Er waren te veel onjuiste codes. Probeer het over ${duration('nl', seconds)} opnieuw.`,
  },
  enrol: {
    title: 'Een tweede factor instellen',
    heading: 'Een tweede factor instellen',
    lead: (client: Child) => phrase`${client} wil naast uw wachtwoord een tweede bewijs dat u het bent.`,
    own: 'Daarmee bewijst u naast uw wachtwoord dat u het bent.',
    scan: 'Scan dit met een authenticator-app, zoals die van uw telefoon of van uw wachtwoordbeheerder.',
    qr: 'QR-code met de sleutel voor uw authenticator-app',
    key: 'Of voer daar deze sleutel in:',
    name: 'Een naam ervoor',
    nameHint: 'Zodat u hem van andere onderscheidt: bijvoorbeeld de telefoon.',
    defaultName: 'Authenticator-app',
    code: 'De code die de app toont',
    submit: 'Instellen',
    later: 'Later',
    laterNote: (days: number) =>
      days === 1
        ? 'U kunt dit later doen, tot morgen. Daarna is het nodig.'
        : `U kunt dit later doen, binnen ${days} dagen. Daarna is het nodig.`,
    decline: 'Niet instellen',
    missing: 'Voer de code in die de app toont.',
    wrong: 'Dit is niet de code van deze sleutel. Wacht op de volgende en voer die in.',
    clock:
      'De klok van uw telefoon loopt niet gelijk. Laat hem de tijd zelf instellen en voer dan de volgende code in.',
    expired: 'Dat duurde te lang. Hier is een nieuwe sleutel: scan hem, en verwijder de vorige uit de app.',
    tooMany: 'U hebt al drie authenticator-apps. Verwijder er eerst een.',
    wrongName: 'Voer een naam van hoogstens 100 tekens in.',
  },
  enrolCode: {
    text: (address: Child) =>
      phrase`Voer eerst een code in die naar ${address} wordt gestuurd: wie alleen uw wachtwoord kent, mag niets instellen.`,
    sent: (address: Child) =>
      phrase`Een code van acht cijfers is onderweg naar ${address}. Hij geldt tien minuten, alleen in deze browser.`,
    code: 'Code uit de mail',
    send: 'De code sturen',
    again: 'Een andere code sturen',
    missing: 'Voer de code uit de mail in.',
    wrong: 'Deze code is onjuist of geldt niet meer. Na vijf onjuiste codes is een andere nodig.',
    tooMany: 'Er zijn zoveel codes gestuurd dat er voorlopig geen andere is. Probeer het later opnieuw.',
  },
  enrolKey: {
    title: 'Een passkey of beveiligingssleutel instellen',
    passkeyText:
      'Een passkey wordt bewaard door uw apparaat of wachtwoordbeheerder. U meldt zich dan aan met uw vinger, uw gezicht of een pincode, zonder wachtwoord.',
    securityKeyText:
      'Een beveiligingssleutel is een klein apparaat dat u insteekt of tegen uw telefoon houdt. Hij komt na uw wachtwoord.',
    passkey: 'Een passkey instellen',
    securityKey: 'Een beveiligingssleutel instellen',
    failed: 'Er is niets ingesteld. Probeer het opnieuw.',
    taken: 'Dit apparaat of deze sleutel is al ingesteld. Neem een ander.',
    wrong: 'Deze passkey of beveiligingssleutel is niet geaccepteerd. Probeer het opnieuw.',
    needs: 'Zet JavaScript in uw browser aan om een passkey of beveiligingssleutel in te stellen.',
  },
  recoveryCodes: {
    title: 'Uw herstelcodes',
    heading: 'Bewaar deze herstelcodes',
    text: 'Als u uw tweede factor kwijtraakt, komt u met elk ervan na uw wachtwoord één keer binnen. Ze worden nu getoond en daarna nooit meer. Druk ze af, of bewaar ze in uw wachtwoordbeheerder.',
    list: 'Herstelcodes',
    saved: 'Ik heb ze bewaard',
  },
  accountSignIn: {
    title: 'Hoe u zich aanmeldt',
    heading: 'Hoe u zich aanmeldt',
    none: 'Er is alleen uw wachtwoord: wie het kent, kan zich als u aanmelden.',
    factors: 'Tweede factoren',
    app: 'Authenticator-app',
    passkey: 'Passkey',
    securityKey: 'Beveiligingssleutel',
    made: (date: string) => `Ingesteld op ${date}`,
    used: (date: string) => `Laatst gebruikt op ${date}`,
    suspended: 'Geblokkeerd na te veel onjuiste codes',
    add: 'Een authenticator-app toevoegen',
    addKey: 'Een passkey of beveiligingssleutel toevoegen',
    tooManyKeys:
      'U hebt al tien passkeys en beveiligingssleutels. Verwijder er een om een andere toe te voegen.',
    noKeysByIp:
      'Hier zijn geen passkeys en beveiligingssleutels: deze dienst heeft een IP-adres en geen naam.',
    synced: 'Gesynchroniseerd tussen uw apparaten',
    onDevice: 'Blijft op één apparaat',
    earlier: (domain: Child) => phrase`Van een eerder adres (${domain}): geldt hier niet.`,
    suspendedKey: 'Geblokkeerd, omdat er een kopie van zou kunnen zijn. Verwijder hem en stel een nieuwe in.',
    elsewhere: 'Overal elders afmelden',
    rename: 'Naam wijzigen',
    name: 'Naam',
    remove: 'Verwijderen',
    removeNamed: (name: Child) => phrase`${name} verwijderen`,
    renameNamed: (name: Child) => phrase`Naam van ${name} wijzigen`,
    recovery: 'Herstelcodes',
    recoveryLeft: (count: number) =>
      count === 0
        ? 'Er zijn er geen over.'
        : count === 1
          ? 'Er is er één over.'
          : `Er zijn er ${count} over.`,
    newCodes: 'Nieuwe herstelcodes maken',
    newCodesNote: 'De vorige gelden dan niet meer.',
    getsIn:
      'U bent de enige die binnenkomt als de aanmelding van uw organisatie niet werkt. Vraag uw beheerders eerst iemand anders aan te wijzen.',
    lastOne:
      'Dit is de laatste tweede factor, en hier hebt u er een nodig. Stel een andere in voordat u hem verwijdert.',
    unknown: 'Deze tweede factor is er niet meer.',
    done: {
      password: 'Het wachtwoord is gewijzigd. U bent overal elders afgemeld.',
      removed: 'De tweede factor is verwijderd.',
      renamed: 'De tweede factor heeft zijn nieuwe naam.',
      added: 'De tweede factor is ingesteld.',
    },
    proveHeading: 'Bevestig dat u het bent',
    proveText:
      'Dit verandert hoe u zich aanmeldt. Bewijs nog een keer dat u het bent: het mag niet langer dan tien minuten geleden zijn.',
    proveByKey:
      'Dit verandert hoe u zich aanmeldt. Gebruik uw passkey, of voer uw wachtwoord in en gebruik uw beveiligingssleutel. Het mag niet langer dan tien minuten geleden zijn.',
    back: 'Terug naar hoe u zich aanmeldt',
    password: 'Wachtwoord',
    wrongPassword: 'Dit wachtwoord is onjuist.',
    signInFirst: 'Meld u eerst aan',
    signInText:
      'U bent hier niet aangemeld. Open de toepassing die u gebruikt, meld u daar aan en kom terug naar deze pagina.',
    signInAgain: 'Aanmelden',
  },
}
