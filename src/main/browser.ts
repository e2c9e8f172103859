import { spawn } from 'node:child_process'

/** Opens a page in the desktop's browser. Resolves to false without a desktop. */
export function openBrowser(url: string, platform: string = process.platform): Promise<boolean> {
  const [program, ...args] = openerOf(platform)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const child = spawn(program!, [...args, url], { stdio: 'ignore', detached: true })
  child.once('error', () => resolve(false))
  child.once('spawn', () => {
    child.unref()
    resolve(true)
  })
  return promise
}

function openerOf(platform: string): readonly string[] {
  if (platform === 'darwin') return ['open']
  // Not `start`: that is a shell built-in, and the shell would interpret characters of the address.
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open']
}
