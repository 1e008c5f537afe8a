import type { Messages } from "./texts.ts";
import { waitText } from "./wait-text.ts";

export const english: Messages = {
	"key-missing": () => "Send your app key in the header Authorization: Bearer <key>.",
	"key-invalid": () => "This app key is not valid; it is unknown, revoked or expired.",
	"account-unverified": () => "The e-mail address of this account is not confirmed yet.",
	"plan-without-api": () => "The plan of this account does not include API access.",
	"session-unknown": () => "There is no such session.",
	"path-unknown": ({ method, path }) => `There is no ${method} ${path}.`,
	"body-not-json": () => "The request body is not valid JSON.",
	"body-not-object": () => "The request body must be a JSON object.",
	"body-too-large": ({ limit }) => `The request body is larger than ${limit}.`,
	"field-unknown": ({ field }) => `The field ${field} is not known.`,
	"name-invalid": () => "name must be a text of 1 to 64 characters.",
	"image-invalid": () => "image must be the id of an image, a text of 1 to 128 characters.",
	"image-not-supported": ({ image }) => `The image ${image} does not exist or cannot run API sessions.`,
	"url-invalid": () => "url must be an address that begins with http:// or https://.",
	"screen-invalid": () =>
		"screen must be {width, height} in whole pixels, width 320 to 1920 and height 480 to 1080.",
	"country-invalid": () => "country must be the code of a country or a city, such as de or de-berlin.",
	"country-unknown": ({ country }) => `country ${country} is not known; GET /image lists the locations.`,
	"country-with-proxy": () => "country cannot be combined with proxy; leave one of them out.",
	"egress-invalid": () => 'egress must be "residential" or be left out.',
	"egress-with-proxy": () => "egress cannot be combined with proxy; leave one of them out.",
	"proxy-invalid": () =>
		"proxy must be protocol://[user:password@]host:port with the protocol http, https, socks4 or socks5.",
	"proxy-private": () => "proxy must not point to a private or internal address.",
	"residential-not-configured": () =>
		"egress cannot be residential: this server has no residential connections.",
	"residential-country-unknown": ({ country }) =>
		`There is no residential connection for country ${country}; GET /image lists the countries.`,
	"idempotency-key-invalid": () => "idempotencyKey must be a text of 1 to 128 characters.",
	"query-limit-invalid": () => "limit must be a whole number from 1 to 200.",
	"query-status-invalid": () => 'status must be "all" or be left out.',
	"slots-full": ({ limit }) =>
		`All session slots of this account (${limit}) are in use; stop a session first.`,
	"no-plan": () => "This account has no active plan.",
	"image-restricted": ({ image }) => `The plan of this account does not include the image ${image}.`,
	"plan-without-locations": () => "The plan of this account does not include locations; leave country out.",
	"plan-without-own-proxy": () =>
		"The plan of this account does not include proxies of your own; leave proxy out.",
	"plan-without-residential": () =>
		"The plan of this account does not include residential connections; leave egress out.",
	"cycle-sessions-used": ({ limit }) => `All sessions of this billing cycle (${limit}) are used up.`,
	"runtime-used": () => "The runtime allowance of this billing cycle is used up.",
	"residential-used": () => "The residential allowance of this billing cycle is used up.",
	"start-rate": ({ seconds }) =>
		`Too many sessions were started in a short time; the next one can start in ${waitText("en", seconds)}.`,
	"request-rate": () => "Too many requests come from this address; slow down.",
	"browser-missing": ({ image }) => `No browser for the image ${image} is installed on the server.`,
	"storage-full": () => "The server's disk is full; nothing can be started until there is room.",
	"shutting-down": () => "The service is shutting down.",
	fault: () => "Something went wrong on the server.",
};
