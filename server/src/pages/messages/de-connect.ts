import type { Child } from 'hono/jsx'
import type { Messages } from './en.ts'
import { phrase } from './phrase.ts'

/** Die Worte der Anleitung, mit der eine Organisation ihre Anmeldung selbst einrichtet. */
export const connect: Pick<Messages, 'connect'> = {
  connect: {
    title: 'Ihre Organisation anbinden',
    heading: (organisation: Child) => phrase`${organisation} anbinden`,
    lead: 'Hier richten Sie ein, wie sich die Menschen Ihrer Organisation anmelden: bei Ihrem eigenen Identitätsanbieter und mit Ihrer eigenen Domain. Sie brauchen jemanden, der beides verwalten darf.',
    nothingCounts: 'Nichts davon gilt, bevor die Betreiber dieses Dienstes es bestätigt haben.',
    oneBrowser: (until: string) =>
      `Sobald Sie beginnen, gilt der Link nur noch in diesem Browser, bis ${until}.`,
    begin: 'Beginnen',
    back: 'Alle Schritte',
    steps: {
      provider: 'Anbieter wählen',
      values: 'Verbinden',
      domain: 'Domain nachweisen',
      trial: 'Ausprobieren',
      provisioning: 'Konten über SCIM verwalten',
      finish: 'Abgeben',
    },
    texts: {
      provider: 'Wo sich Ihre Leute anmelden',
      values: 'Was dort einzufügen und von dort zu übernehmen ist',
      domain: 'Mit einem DNS-Eintrag',
      trial: 'Einmal selbst anmelden und sehen, was ankommt',
      provisioning: 'Wenn Ihr Anbieter hier Konten anlegen und entfernen soll',
      finish: 'Dann wird es angesehen und bestätigt',
    },
    done: 'Erledigt',
    toDo: 'Zu tun',
    optional: 'Nicht nötig',
    otherOidc: 'Ein anderer, mit OpenID Connect',
    otherSaml: 'Ein anderer, mit SAML 2.0',
    changes: 'Ein anderer Anbieter leert, was Sie zum vorigen eingegeben haben.',
    valuesHeading: (provider: string) => `${provider} verbinden`,
    there: (provider: string) => `Bei ${provider}`,
    thereOther: 'Bei Ihrem Anbieter',
    open: (path: Child) => phrase`Öffnen Sie ${path}.`,
    register: 'Tragen Sie diesen Dienst dort als neue Anwendung ein.',
    paste: 'Fügen Sie dort ein:',
    sendOidc: (email: Child, groups: Child) =>
      phrase`Lassen Sie die E-Mail-Adresse als Claim ${email} senden und, wenn sich Profile nach Gruppen richten sollen, die Gruppen als ${groups}.`,
    sendSaml: (format: Child, mail: Child, groups: Child) =>
      phrase`Lassen Sie eine NameID des Formats ${format} senden, gebildet aus etwas, das sich bei einem Menschen nie ändert, die E-Mail-Adresse als Attribut ${mail} und, wenn sich Profile nach Gruppen richten sollen, die Gruppen als ${groups}. Die Assertion wird signiert und nicht verschlüsselt.`,
    setThere: 'Dort einzustellen:',
    noGroups: (provider: string) => `${provider} sendet keine Gruppen.`,
    saveFirst:
      'Speichern Sie, was unter der Adresse der Metadaten steht, als Datei, und wählen Sie dort diese Datei.',
    here: 'Hierher übernehmen',
    provider: 'Anbieter',
    from: (path: string) => `Dort: ${path}`,
    issuer: 'Issuer',
    tenant: 'Verzeichnis-ID (Mandant) oder Issuer',
    clientId: 'Client-ID',
    clientSecret: 'Client-Secret',
    secretHint: 'Es wird verschlüsselt aufbewahrt und niemandem gezeigt.',
    secretKept: 'Eines ist hinterlegt. Ein anderes ersetzt es.',
    noSecret: (keys: Child) =>
      phrase`Ohne Secret weist sich dieser Dienst mit einem Schlüssel aus, zu finden unter ${keys}.`,
    metadataUrl: 'Adresse der Metadaten',
    metadataHint: (example: string) => `Etwa ${example}. Neue Zertifikate werden von dort gelesen.`,
    orFile: 'Oder die Metadaten als Datei',
    orText: 'Oder die Metadaten als Text',
    check: 'Prüfen und behalten',
    problems: {
      missing: 'Füllen Sie das aus.',
      wrong: 'Das lässt sich nicht verwenden: Prüfen Sie es auf Leerzeichen, fehlende Teile und seine Länge.',
      issuer:
        'Das ist kein Issuer eines einzelnen Anbieters. Übernehmen Sie ihn von Ihrem Anbieter, wie er dort steht, bei Entra den Ihres eigenen Mandanten.',
      unreachable:
        'Ihr Anbieter ist unter dieser Adresse nicht zu erreichen. Hier: Prüfen Sie die Adresse. Bei Ihrem Anbieter: Er muss aus dem Internet über https erreichbar sein, mit einem Zertifikat, dem Browser vertrauen.',
      documents:
        'Was Ihr Anbieter veröffentlicht, passt nicht. Hier: Übernehmen Sie den Issuer genau, bis zum letzten Schrägstrich. Bei Ihrem Anbieter: Sehen Sie nach, was unten steht.',
      metadata:
        'Diese Metadaten lassen sich nicht verwenden. Hier: Nehmen Sie die Verbundmetadaten des Identitätsanbieters als Ganzes. Bei Ihrem Anbieter: Sehen Sie nach, was unten steht.',
    },
    detail: 'Genau:',
    throttled: 'Das waren zu viele Versuche. Machen Sie in einer Stunde weiter.',
    kept: 'Es wurde geprüft und ist hinterlegt.',
    domainLead:
      'Das ist der Teil nach dem @ in den Adressen Ihrer Leute. Ein Eintrag zeigt, dass sie Ihnen gehört.',
    domain: 'Domain',
    keepDomain: 'Eintrag zeigen',
    wrongDomain: 'Das ist keine Domain. Geben Sie eine ein wie acme.example.',
    record: 'Legen Sie diesen Eintrag in Ihrem DNS an:',
    recordName: 'Name',
    recordType: 'Typ',
    recordValue: 'Wert',
    look: 'Jetzt nachsehen',
    looks: {
      found: 'Der Eintrag ist da.',
      no_record:
        'Der Eintrag ist noch nicht da. DNS kann eine Stunde brauchen. In Ihrem DNS: Prüfen Sie den Namen, dem manche die Domain selbst anhängen, und den Wert.',
      alias: 'In Ihrem DNS: Der Name ist ein Alias (CNAME). Legen Sie den Eintrag beim Namen selbst an.',
      wildcard: 'In Ihrem DNS: Ein Platzhalter (*) antwortet. Legen Sie den Eintrag beim Namen selbst an.',
      no_answer:
        'Die Server dieser Domain antworten nicht. In Ihrem DNS: Sehen Sie nach, ob sie laufen, und versuchen Sie es noch einmal.',
    },
    trialLead:
      'Sie melden sich einmal bei Ihrem Anbieter an und sehen, was ankommt. Das gibt keinen Zugang und legt kein Konto an.',
    trialFirst: 'Verbinden Sie zuerst Ihren Anbieter.',
    trialBegun: 'Sie haben ausprobiert, was jetzt eingegeben ist.',
    tryIt: 'Ausprobieren',
    provisioningLead:
      'Mit SCIM legt Ihr Anbieter hier selbst Konten an, ändert und entfernt sie. Lassen Sie es weg, wenn Sie das nicht verwenden.',
    makeToken: 'Token erstellen',
    replaceToken: 'Anderes Token erstellen',
    replaces: 'Es gibt ein Token. Ein anderes tritt an seine Stelle.',
    tokenOnce: 'Das Token wird nur dieses eine Mal gezeigt: Fügen Sie es jetzt bei Ihrem Anbieter ein.',
    tokenWaits: 'Es wird abgelehnt (401), bis bestätigt ist, was Sie abgeben, und gilt von da an ein Jahr.',
    finishLead: 'Das wird abgegeben. Danach ist der Link zu Ende, und nichts davon lässt sich mehr ändern.',
    nothingYet: 'Es gibt noch nichts abzugeben.',
    notTried: 'Sie haben es nicht ausprobiert. Wer es bestätigt, sieht das.',
    noDomain:
      'Noch ist keine Domain nachgewiesen. Bis dahin zählt keine Adresse Ihrer Leute: Herein kommt nur, wer hier schon ein Konto hat und es nachweist, und Gäste, wo sie zugelassen sind. Wer es bestätigt, sieht das.',
    handIn: 'Abgeben',
    handInWithout: 'Ohne nachgewiesene Domain abgeben',
    doneTitle: 'Es ist abgegeben',
    doneText:
      'Die Betreiber dieses Dienstes werden benachrichtigt. Nichts gilt, bevor sie es bestätigt haben.',
    donePlaces:
      'Lassen Sie den Eintrag in Ihrem DNS und was Sie bei Ihrem Anbieter eingefügt haben, wie es ist.',
  },
}
