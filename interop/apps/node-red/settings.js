module.exports = {
  uiHost: '127.0.0.1',
  uiPort: Number(process.env.PORT),
  credentialSecret: 'of the interop run',
  telemetry: { enabled: false, updateNotification: false },
}
// PASTE
