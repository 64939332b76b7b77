export const profile = {
  role: 'Role',
  organisation: 'Organisation',
  unit: 'Unit',
  allUnits: 'Whole organisation',
  everywhere: 'Without an organisation the role holds in every one.',
  until: 'Until',
  give: 'Give a profile',
  giveTitle: (name: string) => `What may ${name} do?`,
  take: 'Take away',
  takeTitle: (role: string, name: string) => `Take “${role}” from ${name}?`,
  takeWhat: (place: string) =>
    `They can’t act under it any more at “${place}”, and its tokens end at once. You can give it again.`,
  changeEnd: 'Change end',
  endTitle: (role: string, name: string) => `When does “${role}” of ${name} end?`,
  saveEnd: 'Save',
}
