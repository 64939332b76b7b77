/** What the component library is told; the build makes its variables of it, and the provider reads it. */

/** @type {import('@mantine/core').MantineThemeOverride} */
export const theme = {
  primaryColor: 'pine',
  primaryShade: { light: 7, dark: 3 },
  colors: {
    pine: [
      '#eaf3f1',
      '#d2e5e1',
      '#a0ddd3',
      '#7fcdc1',
      '#55ab9f',
      '#3a8b81',
      '#2a7069',
      '#1f5f58',
      '#174a44',
      '#0d1f1c',
    ],
  },
  white: '#ffffff',
  black: '#1d211f',
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  radius: { xs: '4px', sm: '9px', md: '9px', lg: '14px', xl: '14px' },
  defaultRadius: 'sm',
  respectReducedMotion: true,
}
