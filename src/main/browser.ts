import { spawn } from 'node:child_process'

/** Asks the desktop to show a page. Resolves to false where there is none to ask. */
export function openBrowser(url: string, platform: string = process.platform): Promise<boolean> {
  const [program, ...words] = openerOf(platform)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const child = spawn(program!, [...words, url], { stdio: 'ignore', detached: true })
  child.once('error', () => resolve(false))
  child.once('spawn', () => {
    child.unref()
    resolve(true)
  })
  return promise
}

function openerOf(platform: string): readonly string[] {
  if (platform === 'darwin') return ['open']
  // Not `start`: that one is a word of the shell, and a shell would read the characters of the address.
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open']
}
