import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PowerSupply } from '../platform.ts'

/** A directory such as `/sys/class/power_supply`; undefined where it cannot be read. */
export async function readPowerSupplies(directory: string): Promise<readonly PowerSupply[] | undefined> {
  const names = await readdir(directory).catch(() => undefined) // another system, or a container
  return names === undefined ? undefined : await Promise.all(names.map((name) => readSupply(join(directory, name))))
}

async function readSupply(directory: string): Promise<PowerSupply> {
  const text = async (name: string): Promise<string> =>
    (await readFile(join(directory, name), 'latin1').catch(() => '')).trim() // not every supply has every file
  return {
    type: await text('type'),
    status: await text('status'),
    online: await text('online'),
    scope: await text('scope'),
  }
}
