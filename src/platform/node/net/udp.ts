import { once } from 'node:events'
import type { Udp, UdpSocket } from '../../udp.ts'

const MULTICAST_HOPS = 1

export const nodeUdp: Udp = {
  async open({ family, port, host }, { onDatagram, onError }): Promise<UdpSocket> {
    const { createSocket } = process.getBuiltinModule('node:dgram')
    const socket = createSocket({ type: family === 4 ? 'udp4' : 'udp6', reuseAddr: true, ipv6Only: family === 6 })
    try {
      socket.bind({ port, ...(host !== undefined && { address: host }) })
      await once(socket, 'listening')
      socket.setBroadcast(true)
      socket.setMulticastTTL(MULTICAST_HOPS)
      if (host !== undefined) socket.setMulticastInterface(family === 4 ? host : `::${host.replace(/^[^%]*/, '')}`)
    } catch (error) {
      socket.close()
      throw error
    }
    socket.on('error', onError)
    socket.on('message', (data, from) => onDatagram(data, { host: from.address, port: from.port }))
    const joined = new Set<string>()
    let isOpen = true
    return {
      port: socket.address().port,
      async send(data, to) {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        socket.send(data, to.port, to.host, (error) => (error === null ? resolve() : reject(error)))
        await promise
      },
      join(group, interfaceName) {
        const membership = `${group} ${interfaceName}`
        if (joined.has(membership)) return
        socket.addMembership(group, family === 6 ? `::%${interfaceName}` : interfaceName)
        joined.add(membership)
      },
      async [Symbol.asyncDispose]() {
        if (!isOpen) return
        isOpen = false
        const closed = once(socket, 'close')
        socket.close()
        await closed
      },
    }
  },
}
