export const base = `
`
