export const tokens = `
`
