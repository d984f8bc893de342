import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface PackedPackage {
  name: string;
  tarball: string;
  manifest: { version: string };
}

export interface LocalRegistry {
  url: string;
  close(): void;
}

export async function startLocalRegistry(
  packages: readonly PackedPackage[],
  upstream: string,
): Promise<LocalRegistry> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/").slice(1);
    const document = packages.find(({ name }) => name === path);
    const file = packages.find(({ name }) => path === `${name}/-/package.tgz`);
    if (file !== undefined) response.end(readFileSync(file.tarball));
    else if (document !== undefined) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(packument(document)));
    } else {
      response.writeHead(302, { location: new URL(request.url ?? "", upstream).href }).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  function packument({ name, tarball, manifest }: PackedPackage) {
    const integrity = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
    const dist = { tarball: `${url}${name}/-/package.tgz`, integrity };
    return {
      name,
      "dist-tags": { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist } },
    };
  }

  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
