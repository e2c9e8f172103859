import { readFileSync } from 'node:fs'
import { readConfig } from '../../src/config/config-file.ts'
import { defaultConfig } from '../../src/config/default-config.ts'
import type { Config } from '../../src/core/config/config.ts'
import { prepareConfig } from '../../src/core/config/config-prepare.ts'
import type { ConfigDocument } from '../../src/core/config/config-document.ts'
import { configToXml } from '../../src/core/config/config-to-xml.ts'
import { parseDeviceId } from '../../src/core/device-id.ts'
import { printXml } from '../../src/core/config/xml-tree.ts'

export const LOCAL_ID = parseDeviceId('AXH5OLU-D23MM57-4Q7QGTT-KIZF72W-MB6ZV4T-6JFFPQ5-LROJKZ4-WQNH5QQ')
export const SERVER = parseDeviceId('IT5Q76H-O2PAHQ6-2DKT6NR-3RSBO2C-3HTYC74-KU3CUQ4-6PZ4EUC-ZV32UAB')
export const LAPTOP = parseDeviceId('V7KSONY-IYADFCG-NLNCZJN-OVL72FU-ZBF3CEB-6BFF2EY-TZQFPSI-4SAU3Q6')

/** A file of `test/fixtures/config`, as a real Syncthing 1.29.5 wrote it. */
export function configFixture(name: 'full.xml' | 'full.json' | 'pristine.xml'): string {
  return readFileSync(new URL(`../fixtures/config/config-1.29.5-${name}`, import.meta.url), 'utf8')
}

export function documentOf(xml: string): ConfigDocument {
  return readConfig(new TextEncoder().encode(xml), false).document
}

export function xmlOf(document: ConfigDocument): string {
  return printXml(configToXml(document))
}

export function prepared(config: Config): Config {
  return prepareConfig(config, { ownDevice: LOCAL_ID, hostName: 'host', newApiKey: 'k'.repeat(32) }).config
}

/** What a new home has. */
export function newConfig(): Config {
  return prepared(defaultConfig())
}

/** The configuration with everything in it. */
export function fullConfig(): Config {
  return documentOf(configFixture('full.xml')).config
}
