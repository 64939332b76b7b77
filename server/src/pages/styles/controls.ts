export const controls = `
`
