import { phrase } from './phrase.ts'
import type { trial as english } from './en-trial.ts'

export const trial: typeof english = {
  trial: {
    title: (name) => `Anmeldung über ${name} ausprobieren`,
    text: (name) =>
      phrase`Sie melden sich bei ${name} zur Probe an. Dadurch sind Sie nirgends angemeldet, und hier ändert sich nichts.`,
    seen: 'Wer darum gebeten hat, sieht, was dort über Sie gesagt wird: Name, Adresse, Gruppen und Ähnliches.',
    overTitle: 'Diese Adresse gilt nicht mehr',
    over: 'Sie gilt 15 Minuten lang, in dem Browser, der sie zuerst öffnet. Lassen Sie sich eine neue geben.',
    doneTitle: (name) => `${name} hat geantwortet`,
    nothing: 'Das war eine Probe: Niemand ist angemeldet, und nichts wurde gespeichert.',
    came: 'Was über Sie gesagt wurde',
    subject: 'Wer Sie dort sind',
    fields: {
      email: 'E-Mail-Adresse',
      name: 'Name',
      given_name: 'Vorname',
      family_name: 'Nachname',
      preferred_username: 'Benutzername',
      locale: 'Sprache',
      zoneinfo: 'Zeitzone',
    },
    groups: 'Gruppen',
    none: 'keine. Falls es welche geben sollte: Lassen Sie sie beim Anbieter als groups senden, im ID-Token oder in der Assertion (bei einem Verzeichnis: memberOf), und sehen Sie nach, ob Sie in einer sind.',
    unknownGroups:
      'Sie werden nicht genannt, oder es sind zu viele. Durch sie wird nichts gegeben und nichts genommen.',
    signedInAt: 'Dort angemeldet',
    noTime: 'Wann, wird nicht gesagt.',
    would: 'Was eine Anmeldung bewirken würde',
    outcomes: {
      known: 'Sie würden in Ihrem Konto angemeldet.',
      linked: 'Ihr Konto würde verknüpft, und Sie würden darin angemeldet.',
      new: 'Ein neues Konto würde angelegt, und Sie würden darin angemeldet.',
      prove:
        'Ein Konto mit dieser Adresse gibt es schon, und es gehört nicht allein zur Organisation. Sie würden sich zuerst darin anmelden und dann beides verbinden.',
      guest:
        'Die Adresse gehört zu keiner Domain der Organisation. Zuerst würde nach einem Code gefragt, der an sie geht.',
      refused: 'Sie würden nicht eingelassen.',
    },
    reasons: {
      unknown_person:
        'Niemand hat diese Person eingeladen oder angelegt. Hier: Laden Sie sie ein, lassen Sie ein Verzeichnis sie anlegen, oder lassen Sie Konten bei der Anmeldung entstehen (provision: create).',
      no_address:
        'Es kam keine E-Mail-Adresse. Beim Anbieter: Lassen Sie eine mitsenden. Hier: Nennen Sie sie in attributes.',
      outside_domains:
        'Die Adresse gehört zu keiner Domain der Organisation. Hier: Weisen Sie die Domain nach, oder lassen Sie Gäste zu; dafür braucht es einen Mailserver.',
      conflict:
        'Das Konto mit dieser Adresse gehört dort zu einer anderen Anmeldung. Hier: Sehen Sie sich die Verknüpfungen des Kontos an, und entfernen Sie die alte, wenn es dieselbe Person ist.',
      disabled: 'Das Konto ist gesperrt. Hier: Geben Sie es frei, wenn das bei Ihnen liegt.',
      address_domain:
        'Die genannte Adresse gehört zu keiner Domain der Organisation: Das Konto behält die, die es hat.',
      address_taken: 'Die genannte Adresse gehört jemand anderem: Das Konto behält die, die es hat.',
    },
    changes: 'Felder, die sich ändern würden',
    gives: 'Profile, die beginnen würden',
    ends: 'Profile, die enden würden',
    cures: {
      unreachable:
        'Hier: Prüfen Sie die Adresse (Issuer, Metadaten oder Verzeichnis). Beim Anbieter: Er muss von diesem Dienst aus erreichbar sein, unter einem öffentlichen Namen und mit einem gültigen Zertifikat.',
      documents:
        'Hier: Vergleichen Sie den Issuer und die Adresse der Metadaten mit dem, was der Anbieter von sich sagt, Buchstabe für Buchstabe, samt Mandant und Schrägstrich am Ende.',
      client_refused:
        'Beim Anbieter: Tragen Sie genau die Rücksprungadresse dieser Anmeldung ein. Hier: Setzen Sie die Client-ID und ein Geheimnis, das jetzt gilt; bei einem Verzeichnis das Konto, das sucht, und dessen Passwort.',
      denied:
        'Beim Anbieter: Weisen Sie die Person oder eine ihrer Gruppen dieser Anwendung zu, und stimmen Sie für alle zu. Oder jemand hat abgebrochen: Beginnen Sie von vorn.',
      response:
        'Beim Anbieter: Vergleichen Sie die Rücksprung- oder ACS-Adresse, und lassen Sie genau das antworten, was gefragt war. Beginnen Sie jeden Versuch hier, mit einer neuen Adresse.',
      signature:
        'Beim Anbieter: Signieren Sie mit RS256, PS256 oder ES256, bei SAML mit RSA und SHA-256. Hier: Übernehmen Sie die Schlüssel oder Zertifikate, mit denen er jetzt signiert; Metadaten von einer Adresse erneuern sich selbst.',
      issuer:
        'Hier: Vergleichen Sie den Issuer mit dem Namen, den der Anbieter sich selbst gibt. Zwei Mandanten oder zwei Anbieter sind vertauscht.',
      audience:
        'Beim Anbieter: Die Antwort ist für eine andere Anwendung. OpenID Connect: Ihre Client-ID muss die sein, die hier steht. SAML: Ihre Zielgruppe (Audience) muss die Entity-ID dieser Anmeldung sein.',
      nonce:
        'Beim Anbieter: Die Antwort muss die Nonce der Anfrage wiederholen. Beginnen Sie von vorn; bleibt es so, spricht er kein OpenID Connect.',
      expired: 'Stellen Sie die Uhren beider Seiten. Oder es hat zu lange gedauert: Beginnen Sie von vorn.',
      replayed: 'Die Antwort wurde schon verwendet. Beginnen Sie von vorn, mit einer neuen Adresse.',
      no_subject:
        'Beim Anbieter: Lassen Sie sagen, wer jemand ist, durch sub (Entra: oid und tid), eine dauerhafte NameID oder das Attribut, das subject hier nennt.',
      too_old: 'Beim Anbieter: Melden Sie sich dort zuerst ab, und beginnen Sie von vorn.',
      request_over:
        'Es hat zu lange gedauert, oder ein anderer Browser kam zurück. Beginnen Sie von vorn, mit einer neuen Adresse.',
      inactive: 'Hier: Die Organisation ist gesperrt. Geben Sie sie frei.',
      wrong_credentials: 'Prüfen Sie Name und Passwort im Verzeichnis.',
      throttled:
        'Es gab in kurzer Zeit zu viele Versuche. Warten Sie eine Viertelstunde, und beginnen Sie von vorn.',
    },
    registered: 'Dort einzutragen',
    back: 'Zurück zur Anleitung',
  },
}
