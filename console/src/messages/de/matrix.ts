import type { Messages } from '../en.ts'

export const matrix: Messages['matrix'] = {
  tab: 'Rollen',
  title: 'Rollen und Berechtigungen',
  permission: 'Berechtigung',
  role: 'Rolle',
  search: 'Berechtigungen suchen',
  searchHint: 'Code oder Beschreibung',
  addRole: 'Weitere Rolle zeigen',
  others: (count) =>
    count === 1
      ? '1 weitere Rolle gibt etwas davon. Zeigen Sie sie mit ihrem Namen.'
      : `${count} weitere Rollen geben etwas davon. Zeigen Sie eine mit ihrem Namen.`,
  byAll: 'Sie gibt alles in der Verwaltung.',
  draft: 'Was Sie geändert haben',
  count: (roles) => (roles === 1 ? '1 Rolle ändert sich' : `${roles} Rollen ändern sich`),
  done: 'Alles ist gespeichert',
  saved: (roles) => `Gespeichert: ${roles}.`,
}
