# A module of NixOS: `imports = [ ./twinfold.nix ];`. configuration.nix beside it is an example.
{ config, lib, pkgs, ... }:
let
  cfg = config.services.twinfold;
  format = pkgs.formats.json { };
in
{
  options.services.twinfold = {
    enable = lib.mkEnableOption "Twinfold, set up from this configuration";
    program = lib.mkOption {
      type = lib.types.str;
      default = "/run/current-system/sw/bin/twinfold";
      description = "The path of the program.";
    };
    user = lib.mkOption {
      type = lib.types.str;
      default = "twinfold";
      description = "The owner of the folders; the default one is created.";
    };
    settings = lib.mkOption {
      type = format.type;
      default = { };
      description = "The set-up file. Everybody can read the store: secrets are { file = \"/run/secrets/NAME\"; }.";
    };
  };
  config = lib.mkIf cfg.enable {
    users.users = lib.mkIf (cfg.user == "twinfold") {
      twinfold = {
        isSystemUser = true;
        group = "twinfold";
      };
    };
    users.groups = lib.mkIf (cfg.user == "twinfold") { twinfold = { }; };
    systemd.services.twinfold = {
      description = "Twinfold";
      after = [ "network.target" ];
      wantedBy = [ "multi-user.target" ];
      serviceConfig = {
        ExecStart = "${cfg.program} serve --home=/var/lib/twinfold --apply=${format.generate "twinfold.json" cfg.settings}";
        User = cfg.user;
        StateDirectory = "twinfold";
        Restart = "on-failure";
      };
    };
  };
}
