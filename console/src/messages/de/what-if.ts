import type { Messages } from '../en.ts'

export const whatIf: Messages['whatIf'] = {
  tab: 'Was wäre wenn',
  lead: 'Entwerfen Sie mehrere Änderungen und sehen Sie, was alle zusammen bewirken. Nichts ändert sich, bevor Sie sie ausführen.',
  draft: 'Entwurf',
  effect: 'Was sie bewirken',
  begin: 'Noch ist nichts entworfen',
  beginHow: 'Fügen Sie eine Änderung hinzu. Hier steht dann, wer was erhält und wer was verliert.',
  kind: 'Änderung',
  kinds: {
    give: 'Jemandem eine Rolle geben',
    end: 'Jemandem eine Rolle nehmen',
    disable: 'Etwas sperren',
    adds: 'Eine Rolle eine Berechtigung geben lassen',
    takes: 'Eine Rolle eine Berechtigung nicht mehr geben lassen',
  },
  what: 'Was',
  things: {
    users: 'Person',
    roles: 'Rolle',
    organisations: 'Organisation',
    units: 'Einheit',
    clients: 'Anwendung',
  },
  person: 'Person',
  profile: 'Profil',
  noProfile: 'Sie hat kein Profil, das Sie sehen.',
  add: 'In den Entwurf',
  full: 'Ein Entwurf hat höchstens 20 Änderungen.',
  mayNothing: 'Sie dürfen keine dieser Änderungen ausführen.',
  remove: 'Entfernen',
  says: {
    give: (person, role, place) => `${person} die Rolle ${role} geben, ${place}`,
    end: (person, role, place) => `${person} die Rolle ${role} nehmen, ${place}`,
    disable: (thing, name) => `${name} sperren (${thing})`,
    adds: (role, permission) => `Die Rolle ${role} gibt ${permission}`,
    takes: (role, permission) => `Die Rolle ${role} gibt ${permission} nicht mehr`,
  },
  refused: 'Würde abgelehnt.',
  until: (count) =>
    count === 0
      ? 'Die erste Änderung würde abgelehnt, es geschähe also nichts.'
      : count === 1
        ? 'Die Änderung vor der, die abgelehnt würde, bewirkt dies:'
        : `Die ${count} Änderungen vor der, die abgelehnt würde, bewirken dies:`,
  override: 'Auch ändern, was eine deklarierte Datei verwaltet, bis sie wieder angewendet wird',
  done: 'Erledigt',
  tryOut: 'Änderungen vorher unter „Was wäre wenn“ ausprobieren',
  doIt: (count) => (count === 1 ? 'Die Änderung ausführen' : `${count} Änderungen ausführen`),
}
