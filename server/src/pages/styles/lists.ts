export const lists = `
`
