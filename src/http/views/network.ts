import type { NetworkJson } from '../../rest/network.ts'
import type { MappingStatus, PortMappingView } from '../../upnp/types.ts'
import { formatWholeSeconds } from './times.ts'

export function networkJson(enabled: boolean, portMapping: PortMappingView | undefined): NetworkJson {
  return {
    portMapping: {
      enabled,
      error: portMapping?.error ?? null,
      mappings: portMapping?.mappings().map(mappingJson) ?? [],
    },
  }
}

function mappingJson(mapping: MappingStatus): NetworkJson['portMapping']['mappings'][number] {
  const { listener, protocol, gateway, internalPort, externalPort, externalHost = '', expiresMs, error } = mapping
  const host = externalHost.includes(':') ? `[${externalHost}]` : externalHost
  return {
    listener,
    protocol,
    gateway,
    internalPort,
    ...(externalPort !== undefined && { externalAddress: `${host}:${externalPort}` }),
    ...(expiresMs !== undefined && { expires: formatWholeSeconds(expiresMs) }),
    error,
  }
}
