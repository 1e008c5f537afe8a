import type { Messages } from "./texts.ts";
import { waitText } from "./wait-text.ts";

export const spanish: Messages = {
	"key-missing": () =>
		"Falta la clave de aplicación; debe enviarse en la cabecera Authorization: Bearer <key>.",
	"key-invalid": () =>
		"Esta clave de aplicación no es válida: es desconocida, ha sido revocada o ha caducado.",
	"account-unverified": () => "La dirección de correo de esta cuenta aún no está confirmada.",
	"plan-without-api": () => "El plan de esta cuenta no incluye acceso a la API.",
	"session-unknown": () => "Esta sesión no existe.",
	"path-unknown": ({ method, path }) => `No existe ${method} ${path}.`,
	"body-not-json": () => "El cuerpo de la solicitud no es JSON válido.",
	"body-not-object": () => "El cuerpo de la solicitud debe ser un objeto JSON.",
	"body-too-large": ({ limit }) => `El cuerpo de la solicitud supera ${limit}.`,
	"field-unknown": ({ field }) => `El campo ${field} no se conoce.`,
	"name-invalid": () => "name debe ser un texto de 1 a 64 caracteres.",
	"image-invalid": () => "image debe ser el identificador de una imagen, un texto de 1 a 128 caracteres.",
	"image-not-supported": ({ image }) => `La imagen ${image} no existe o no admite sesiones por la API.`,
	"url-invalid": () => "url debe ser una dirección que empiece por http:// o https://.",
	"screen-invalid": () =>
		"screen debe ser {width, height} en píxeles enteros, width de 320 a 1920 y height de 480 a 1080.",
	"country-invalid": () =>
		"country debe ser el código de un país o de una ciudad, por ejemplo de o de-berlin.",
	"country-unknown": ({ country }) =>
		`country ${country} no se conoce; las ubicaciones disponibles figuran en GET /image.`,
	"country-with-proxy": () => "country y proxy no pueden combinarse; debe omitirse uno de los dos.",
	"egress-invalid": () => 'egress debe ser "residential" u omitirse.',
	"egress-with-proxy": () => "egress y proxy no pueden combinarse; debe omitirse uno de los dos.",
	"proxy-invalid": () =>
		"proxy debe tener la forma protocol://[user:password@]host:port, con el protocolo http, https, socks4 o socks5.",
	"proxy-private": () => "proxy no debe apuntar a una dirección privada o interna.",
	"residential-not-configured": () =>
		"egress no puede ser residential: este servidor no tiene conexiones residenciales.",
	"residential-country-unknown": ({ country }) =>
		`No hay ninguna conexión residencial para country ${country}; los países disponibles figuran en GET /image.`,
	"idempotency-key-invalid": () => "idempotencyKey debe ser un texto de 1 a 128 caracteres.",
	"query-limit-invalid": () => "limit debe ser un número entero de 1 a 200.",
	"query-status-invalid": () => 'status debe ser "all" u omitirse.',
	"slots-full": ({ limit }) =>
		`Todas las plazas de sesión de esta cuenta (${limit}) están ocupadas; primero debe detenerse una sesión.`,
	"no-plan": () => "Esta cuenta no tiene ningún plan activo.",
	"image-restricted": ({ image }) => `El plan de esta cuenta no incluye la imagen ${image}.`,
	"plan-without-locations": () =>
		"El plan de esta cuenta no incluye la elección de ubicación; debe omitirse country.",
	"plan-without-own-proxy": () =>
		"El plan de esta cuenta no incluye el uso de proxies propios; debe omitirse proxy.",
	"plan-without-residential": () =>
		"El plan de esta cuenta no incluye conexiones residenciales; debe omitirse egress.",
	"cycle-sessions-used": ({ limit }) =>
		`Se han agotado todas las sesiones de este período de facturación (${limit}).`,
	"runtime-used": () => "Se ha agotado el tiempo de uso previsto para este período de facturación.",
	"residential-used": () => "Se ha agotado el volumen de datos residencial de este período de facturación.",
	"start-rate": ({ seconds }) =>
		`Se han iniciado demasiadas sesiones en poco tiempo; la próxima podrá iniciarse dentro de ${waitText("es", seconds)}.`,
	"request-rate": () => "Llegan demasiadas solicitudes desde esta dirección; conviene reducir el ritmo.",
	"browser-missing": ({ image }) =>
		`En el servidor no hay ningún navegador instalado para la imagen ${image}.`,
	"storage-full": () => "El disco del servidor está lleno; no se puede iniciar nada hasta que haya espacio.",
	"shutting-down": () => "El servicio se está cerrando.",
	fault: () => "Se ha producido un error en el servidor.",
};
