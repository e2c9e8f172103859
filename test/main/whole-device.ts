import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import { runDaemon } from '../../src/main/daemon.ts'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import type { Identity } from '../../src/platform/net.ts'
import type { SimClock } from '../../src/platform/sim/clock.ts'
import type { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform, type SimPlatform } from '../../src/platform/sim/platform.ts'
import { simSystem } from '../../src/platform/sim/system.ts'
import { request, settle, SIM_KEY, SIM_OPTIONS } from '../support/sim-daemon.ts'

export const identityOf = (commonName: string, serial: number) =>
  makeCertificate({
    commonName,
    keyType: 'P-256',
    lifetimeDays: 30,
    nowMs: Date.now(),
    serial: new Uint8Array(8).fill(serial),
  })
export const idOf = ({ certificatePem }: Identity) => deviceIdFromCertificate(new X509Certificate(certificatePem).raw)

/** One device whose certificate and key are given. */
export class WholeDevice implements AsyncDisposable {
  readonly platform: SimPlatform
  readonly id: string
  readonly #stop = new AbortController()
  #done: Promise<unknown> | undefined

  constructor(
    { clock, network }: { readonly clock: SimClock; readonly network: SimNetwork },
    hostName: string,
    identity: Identity,
    gateways: readonly string[] = [],
  ) {
    const platform = createSimPlatform(1, { clock, network, hostName })
    const networks = [{ address: hostName, prefixLength: 24, interface: 'eth0', isLoopback: false }]
    this.platform = {
      ...platform,
      system: simSystem(hostName, { networks: () => networks, gateways: async () => gateways }),
    }
    this.id = idOf(identity)
    platform.disk.put(SIM_OPTIONS.locations.certificateFile, identity.certificatePem)
    platform.disk.put(SIM_OPTIONS.locations.keyFile, identity.keyPem)
  }

  async start(options: Readonly<Record<string, unknown>>, other: string): Promise<void> {
    this.#done = runDaemon(this.platform, { ...SIM_OPTIONS, guiApiKey: SIM_KEY }, this.#stop.signal)
    for (let turn = 0; turn < 20; turn++) await settle()
    await this.call('PATCH', '/rest/config/options', { listenAddresses: ['tcp://0.0.0.0:22000'], ...options })
    await this.call('POST', '/rest/config/devices', { deviceID: other, addresses: ['dynamic'] })
  }

  async call(method: string, target: string, body?: unknown): Promise<string> {
    const text = body === undefined ? '' : JSON.stringify(body)
    const reply = await request(this.platform, method, target, text)
    assert.equal(reply.status, 200, reply.text)
    return reply.text
  }

  async wayTo(other: string): Promise<{ connected: boolean; address: string; type: string } | undefined> {
    const { connections } = JSON.parse(await this.call('GET', '/rest/system/connections')) as {
      connections: Readonly<Record<string, { connected: boolean; address: string; type: string }>>
    }
    return connections[other]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    for (let turn = 0; turn < 20; turn++) {
      await settle()
      await this.platform.clock.advance(1_000, settle)
    }
    await this.#done
  }
}
