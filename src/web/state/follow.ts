import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

/**
 * Follows one thing by server-sent events until it ends, and puts each state where a query with this key finds it.
 * `address`: undefined follows nothing.
 */
export function useFollowed(address: string | undefined, event: string, key: string): void {
  const client = useQueryClient();
  useEffect(() => {
    if (address === undefined) return;
    const source = new EventSource(address);
    source.addEventListener(event, (told: MessageEvent<string>) => {
      client.setQueryData(JSON.parse(key) as unknown[], JSON.parse(told.data));
    });
    source.addEventListener('end', () => source.close());
    return () => source.close();
  }, [client, address, event, key]);
}

/** Writes a query key as `useFollowed` takes it. */
export function keyText(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
