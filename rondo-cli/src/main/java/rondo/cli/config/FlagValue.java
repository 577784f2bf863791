package rondo.cli.config;

/**
 * A setting given on the command line.
 *
 * @param name the flag with its dashes
 * @param path the key that it sets
 * @param text its value
 */
public record FlagValue(String name, String path, String text) {}
