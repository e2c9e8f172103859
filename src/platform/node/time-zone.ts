import { readlink } from 'node:fs/promises'

const IN_LINK = /\/zoneinfo\/(?:posix\/|right\/)?(.+)$/

/** The zone of the machine as of now: Node keeps the one of its start. The link is `/etc/localtime`. */
export async function readTimeZone(variable: string | undefined, link: string): Promise<string> {
  const atStart = new Intl.DateTimeFormat().resolvedOptions().timeZone
  if (variable !== undefined && variable !== '') return atStart
  const target = await readlink(link).catch(() => '') // a copied file has no name
  return IN_LINK.exec(target)?.[1] ?? atStart
}
