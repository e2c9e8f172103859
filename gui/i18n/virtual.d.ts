/** The texts of one language by key; vite.config.ts makes them of the tables. */
declare module 'virtual:texts/*' {
  export const texts: Readonly<Record<string, string>>
}
